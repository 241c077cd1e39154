"""Which encoder reads title and lead as one text, and what it is given."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec

from ustory.core.extras import MODULES, check_extra
from ustory.core.protocols import Encoder
from ustory.core.settings import NO_GIST, Settings
from ustory.encode.load import load_encoder

USUAL = "multilingual"
"""The encoder of gists where nothing else is said and it is installed."""

SENTENCES = 12
"""The title, if there is one, and the first sentences of the text, as many in all."""

CHARACTERS = 800
"""Of these that are read: more is no gist, and takes time."""


LETTERS = 8
"""A text of fewer has no gist: emoji, marks and single letters mean nothing, and are
near each other. A letter of a script without spaces, which is a syllable, is two."""

_UNSPACED = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")


def with_gist_encoder(settings: Settings) -> Settings:
    """Return the settings with `auto` replaced by what it stands for here and now.

    It is settled when a state or a database begins, and stored with it.
    """
    if settings.gist_encoder != "auto":
        return settings
    usual = settings.mode == "links" and is_installed()
    return replace(settings, gist_encoder=USUAL if usual else NO_GIST)


def is_installed() -> bool:
    """Say whether the usual encoder of gists can be loaded."""
    return all(find_spec(module) is not None for module in MODULES[USUAL])


def load_gist_encoder(settings: Settings) -> Encoder | None:
    """Return the encoder of gists that the settings name, None for `none`."""
    name = with_gist_encoder(settings).gist_encoder
    if name == NO_GIST:
        return None
    encoder = load_encoder(name)
    check_extra("anyascii", "anyascii, which reads names in any script", USUAL)
    return encoder


def gist_text(sentences: Sequence[str]) -> str:
    """Return title and lead as one text; a title that the text repeats counts once.

    >>> gist_text(["Dam breaks", "Dam breaks", "A dam broke.", "Nobody was hurt."])
    'Dam breaks A dam broke. Nobody was hurt.'
    """
    first = dict.fromkeys(sentence.strip() for sentence in sentences[:SENTENCES])
    return " ".join(first)[:CHARACTERS]


def reads(encoder: Encoder, lang: str) -> bool:
    """Say whether an encoder knows a language; most do not say which they know."""
    languages = getattr(encoder, "languages", None)
    return languages is None or lang in languages


def says_something(text: str) -> bool:
    """Say whether a text has letters enough for a gist.

    >>> [says_something(text) for text in ("Dam breaks", "日本地震", "Oh no", "🎉🎉🎉")]
    [True, True, False, False]
    """
    letters = sum(map(str.isalpha, text))
    return letters + len(_UNSPACED.findall(text)) >= LETTERS
