"""The testing kit: each contract as a check, and parts small enough for tests."""

from ustory.testing.encoders import check_encoder
from ustory.testing.tiny import TinyEncoder

__all__ = ["TinyEncoder", "check_encoder"]
