"""Packs what the benchmark of the card needs, for a machine that reaches nothing.

    python -m ustory_bench.encoders.pack STREAM FOLDER

writes the original weights in float16 with the tokenizer, sentences of the stream,
each once, and the vectors sentence-transformers gives some of them in float32. Needs
torch, sentence-transformers and the packages of the encoder minilm.
"""

from __future__ import annotations

import gzip
import json
import random
import shutil
import sys
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file

from ustory.encode.installed import verified
from ustory.encode.minilm import TOKENIZER
from ustory.encode.minilm_cuda import WEIGHTS
from ustory.sources import open_source
from ustory.text import load_pipeline

_MOST = 220_000
_CHECKED = 500


def main() -> None:
    """Write the folder."""
    stream, folder = Path(sys.argv[1]), Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    _weights(folder)
    shutil.copy(verified(TOKENIZER, "minilm"), folder / "tokenizer.json")
    chosen = sentences(stream)
    random.Random(0).shuffle(chosen)
    chosen = chosen[:_MOST]
    with gzip.open(folder / "sentences.json.gz", "wt", encoding="utf-8") as file:
        json.dump(chosen, file, ensure_ascii=False)
    places = sorted(random.Random(1).sample(range(len(chosen)), _CHECKED))
    (folder / "reference_places.json").write_text(json.dumps(places))
    _reference([chosen[place] for place in places], folder / "reference.npy")


def sentences(stream: Path) -> list[str]:
    """Return the sentences of a stream, each once, in order."""
    pipeline = load_pipeline("fast")
    found: dict[str, None] = {}
    for arrival in open_source(str(stream)).read():
        found.update(dict.fromkeys(pipeline.split(arrival.article)))
    return list(found)


def _weights(folder: Path) -> None:
    """Write what the encoder reads of the weights, in float16."""
    weights = load_file(verified(WEIGHTS, "minilm"))
    save_file(
        {
            name: value.astype(np.float16)
            for name, value in weights.items()
            if value.dtype == np.float32 and not name.startswith("pooler")
        },
        folder / "model.safetensors",
    )


def _reference(texts: list[str], file: Path) -> None:
    from sentence_transformers import (  # noqa: PLC0415 - heavy, optional
        SentenceTransformer,
    )

    model = SentenceTransformer(str(verified(WEIGHTS, "minilm").parent), device="cpu")
    np.save(file, model.encode(texts, normalize_embeddings=True).astype(np.float32))


if __name__ == "__main__":
    main()
