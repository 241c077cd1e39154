"""The testing kit: each contract as a check, and parts small enough for tests."""

from ustory.testing.checks import check_discoverer, check_encoder, check_source
from ustory.testing.evidence import check_evidence
from ustory.testing.parts import TinyEncoder, tiny_slides

__all__ = [
    "TinyEncoder",
    "check_discoverer",
    "check_encoder",
    "check_evidence",
    "check_source",
    "tiny_slides",
]
