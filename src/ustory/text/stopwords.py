"""Short stop lists: function words and the verbs every report is made of."""

from __future__ import annotations

from functools import cache

from ustory.text.stopword_lists import LISTS


@cache
def stopwords(lang: str) -> frozenset[str]:
    """Return the stop list of a language; languages without one have none.

    Without a list, terms that are everywhere still weigh little (Eq. 1).
    """
    return frozenset(LISTS.get(lang, "").split())


def has_stopwords(lang: str) -> bool:
    """Say whether there is a list of a language."""
    return lang in LISTS
