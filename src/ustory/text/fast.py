"""The default text pipeline: fast, for any language, nothing to download."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from sentencex import segment

from ustory.core.article import Article, TermCounts
from ustory.text.counting import TermCounter
from ustory.text.sentences import split_article

DEFAULT_LANGUAGE = "en"


class FastPipeline:
    """sentencex sentences, regular-expression tokens, simplemma lemmas."""

    name = "fast"

    def __init__(self) -> None:
        self._counters: dict[str, TermCounter] = {}

    def split(self, article: Article) -> tuple[str, ...]:
        """Return the sentences of an article; the title is sentence 0."""
        lang = article.lang or DEFAULT_LANGUAGE
        return split_article(
            article, lambda lines: chain.from_iterable(segment(lang, x) for x in lines)
        )

    def count(self, sentences: Sequence[str], lang: str | None) -> TermCounts:
        """Count the (1,2)-gram terms of each sentence."""
        return self.count_all([sentences], lang)[0]

    def count_all(
        self, texts: Sequence[Sequence[str]], lang: str | None
    ) -> list[TermCounts]:
        """Count the terms of several articles of one language, which is faster."""
        lang = lang or DEFAULT_LANGUAGE
        if lang not in self._counters:
            self._counters[lang] = TermCounter(lang)
        return self._counters[lang].count(texts)
