"""The testing kit: each contract as a check, and parts small enough for tests."""

from ustory.testing.corpus import tiny_slides
from ustory.testing.discoverers import check_discoverer
from ustory.testing.encoders import check_encoder
from ustory.testing.sources import check_source
from ustory.testing.tiny import TinyEncoder

__all__ = [
    "TinyEncoder",
    "check_discoverer",
    "check_encoder",
    "check_source",
    "tiny_slides",
]
