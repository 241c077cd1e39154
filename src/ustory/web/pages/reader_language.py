"""The languages that a reader reads: a chosen one, else those of the browser."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ustory.stories.story_languages import language_in
from ustory.web.models.shared import Tags
from ustory.web.models.stories import LanguageOut

LANGUAGE_COOKIE = "ustory-language"
MOST_COMMON = "most"
"""The value of the cookie for: as in the language in which most outlets write."""
TAG = "[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,4}"
MAX_TAG = 35
LANGUAGES = {
    "ar": "Arabic", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek",
    "en": "English", "es": "Spanish", "fi": "Finnish", "fr": "French", "he": "Hebrew",
    "hi": "Hindi", "hu": "Hungarian", "id": "Indonesian", "it": "Italian",
    "ja": "Japanese", "ko": "Korean", "nl": "Dutch", "no": "Norwegian", "pl": "Polish",
    "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sv": "Swedish",
    "th": "Thai", "tr": "Turkish", "uk": "Ukrainian", "vi": "Vietnamese",
    "zh": "Chinese",
}  # fmt: skip
"""Names of languages for people."""

_FORM = re.compile(TAG)
_QUALITY = re.compile(r"\s*q\s*=\s*([01](?:\.[0-9]{0,3})?)\s*")
_MAX_HEADER = 1_000
_MAX_TAGS = 10
_CODES = {name.casefold(): code for code, name in LANGUAGES.items()}


@dataclass(frozen=True, slots=True)
class ReaderLanguage:
    """The languages of a reader, the one that is wanted most first."""

    tags: Tags = ()
    """None of them: stories are told as in their most common language."""
    chosen: str = ""
    """The value of the cookie; empty where the browser decides."""

    @classmethod
    def of(cls, cookie: str | None, header: str | None) -> ReaderLanguage:
        """Return what a cookie says, else what a browser sends (`Accept-Language`).

        >>> ReaderLanguage.of("de", "en").tags, ReaderLanguage.of("../x", "fr").tags
        (('de',), ('fr',))
        """
        given = (cookie or "").strip('"')
        if given == MOST_COMMON:
            return cls((), given)
        if is_tag(given):
            return cls((given,), given)
        return cls(accepted(header or ""))

    @property
    def name(self) -> str:
        """The first language in words; empty without one."""
        return language(self.tags[0]) if self.tags else ""


def language(code: str) -> str:
    """Return the name of a language; its code where no name is known.

    >>> language("de"), language("pt-BR"), language("xx")
    ('German', 'Portuguese (pt-BR)', 'xx')
    """
    name = LANGUAGES.get(code.lower())
    base = LANGUAGES.get(code.lower().split("-")[0])
    return name or (f"{base} ({code})" if base else code)


def named_counts(languages: Sequence[LanguageOut]) -> list[tuple[str, int]]:
    """Return languages by their names with their counts, the most first.

    Tags of one language are one: `en` and `en-GB` are English.
    """
    counts: Counter[str] = Counter()
    for each in languages:
        counts[language(language_in(each.lang))] += each.articles
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def is_tag(text: str) -> bool:
    """Return whether a text is the tag of a language, known or not.

    >>> is_tag("pt-BR"), is_tag("german!"), is_tag("")
    (True, False, False)
    """
    return len(text) <= MAX_TAG and _FORM.fullmatch(text) is not None


def tag_named(text: str) -> str | None:
    """Return the tag that somebody means: a tag, or the English name of a language.

    >>> tag_named("German"), tag_named("pt-BR"), tag_named("no such language")
    ('de', 'pt-BR', None)
    """
    wanted = text.strip()
    if wanted.endswith(")"):  # as the page writes it: Portuguese (pt-BR)
        wanted = wanted[:-1].rpartition("(")[2]
    return _CODES.get(wanted.casefold()) or (wanted if is_tag(wanted) else None)


def accepted(header: str) -> Tags:
    """Return the languages of an Accept-Language header, the wanted ones first.

    >>> accepted("en;q=0.5, de-CH, fr;q=0.9, *;q=0.1, it;q=0")
    ('de-CH', 'fr', 'en')
    """
    found: list[tuple[float, str]] = []
    for part in header[:_MAX_HEADER].split(","):
        tag, _, rest = part.partition(";")
        quality = _QUALITY.fullmatch(rest)
        worth = 1.0 if not rest.strip() else float(quality[1]) if quality else 0.0
        if is_tag(tag.strip()) and worth > 0:
            found.append((-worth, tag.strip()))
    found.sort(key=lambda pair: pair[0])
    return tuple(dict.fromkeys(tag for _, tag in found))[:_MAX_TAGS]
