"""The default text pipeline: fast, for any language, nothing to download."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from sentencex import segment

from ustory.core.article import Article, TermCounts
from ustory.text.lemmas import Lemmatiser
from ustory.text.sentences import split_article
from ustory.text.terms import count_terms

DEFAULT_LANGUAGE = "en"


class FastPipeline:
    """sentencex sentences, regular-expression tokens, simplemma lemmas."""

    name = "fast"

    def __init__(self) -> None:
        self._lemmatisers: dict[str, Lemmatiser] = {}

    def split(self, article: Article) -> tuple[str, ...]:
        """Return the sentences of an article; the title is sentence 0."""
        lang = article.lang or DEFAULT_LANGUAGE
        return split_article(
            article, lambda lines: chain.from_iterable(segment(lang, x) for x in lines)
        )

    def count(self, sentences: Sequence[str], lang: str | None) -> TermCounts:
        """Count the (1,2)-gram terms of each sentence."""
        lemmas = self._lemmatiser(lang or DEFAULT_LANGUAGE)
        return count_terms(list(map(lemmas.of, sentences)))

    def _lemmatiser(self, lang: str) -> Lemmatiser:
        if lang not in self._lemmatisers:
            self._lemmatisers[lang] = Lemmatiser(lang)
        return self._lemmatisers[lang]
