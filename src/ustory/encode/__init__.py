"""Sentence encoders: the paper's PSE, from sentences to unit vectors."""

from ustory.encode.cache import CachedEncoder
from ustory.encode.installed import EncoderInfo, encoder_catalogue
from ustory.encode.load import load_encoder

__all__ = ["CachedEncoder", "EncoderInfo", "encoder_catalogue", "load_encoder"]
