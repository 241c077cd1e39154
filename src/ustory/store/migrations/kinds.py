"""Column types as the migrations write them; a new kind is added, none is changed."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
"""Whole numbers, and times as microseconds since 1970."""
REAL: sa.Double[float] = sa.Double()
WORDS = sa.Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")
"""Text and JSON, sorted by their bytes."""
