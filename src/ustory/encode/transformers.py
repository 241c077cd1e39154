"""Any sentence-transformers model, hub id or folder, on a GPU if there is one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ustory.core.arrays import SentenceVectors
from ustory.core.errors import ConfigError
from ustory.core.extras import import_extra
from ustory.encode.door import to_plain_text, to_unit_rows

PREFIX = "sentence-transformers"
_BATCH = 64


class TransformersEncoder:
    """The model named after `sentence-transformers:` in the settings.

    The paper's two are `sentence-transformers/all-roberta-large-v1` (its best)
    and `sentence-transformers/sentence-t5-large`. A folder works as well as a
    hub id. Padding may change the last bit of a row with the company its
    sentence keeps, and a GPU more of them: put a cache in front of it where
    runs must agree to the bit.
    """

    def __init__(self, model: str) -> None:
        package = import_extra(
            "sentence_transformers", "sentence-transformers", "transformers"
        )
        self._model_name = model
        try:
            self._model = package.SentenceTransformer(model)
        except (OSError, ValueError) as error:
            raise ConfigError(
                f"cannot load the sentence-transformers model {model!r}; give a folder "
                f"that holds one or a hub id like {PREFIX}/all-roberta-large-v1; "
                f"the loader says: {error}"
            ) from error
        self._dim = int(self._model.encode([""], convert_to_numpy=True).shape[1])

    @property
    def name(self) -> str:
        """The name in settings: the prefix and the model."""
        return f"{PREFIX}:{self._model_name}"

    @property
    def dim(self) -> int:
        """Length of each sentence vector."""
        return self._dim

    def encode(self, sentences: Sequence[str]) -> SentenceVectors:
        """Return one unit-length float16 row per sentence, in order."""
        if not sentences:
            return np.zeros((0, self._dim), dtype=np.float16)
        rows = self._model.encode(
            to_plain_text(sentences),
            batch_size=_BATCH,
            show_progress_bar=False,
            convert_to_numpy=True,
        )
        return to_unit_rows(rows)
