"""Raw text to sentences, and sentences to counted terms."""

from ustory.text.load import load_pipeline

__all__ = ["load_pipeline"]
