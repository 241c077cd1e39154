"""Names for the array types that travel between the parts."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

SentenceVectors: TypeAlias = NDArray[np.float16]
"""(sentences, dim), unit rows: what an encoder gives."""

Matrix: TypeAlias = NDArray[np.float32]
"""(rows, dim) of representations, or any float32 table."""

Vector: TypeAlias = NDArray[np.float64]
"""One representation or one row of scores, in full precision."""

Indices: TypeAlias = NDArray[np.signedinteger[Any]]
"""Positions into some other array."""

Counts: TypeAlias = NDArray[np.signedinteger[Any]]
"""How often."""

Mask: TypeAlias = NDArray[np.bool_]
"""Which ones."""
