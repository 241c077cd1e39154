"""The default text pipeline: fast, for any language, nothing to download."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from ustory.core.article import Article, TermCounts
from ustory.text.counting import TermCounter
from ustory.text.languages import UNKNOWN, LoadedLanguages, language_of
from ustory.text.lemmas import is_read
from ustory.text.sentences import segments, split_article


class FastPipeline:
    """sentencex sentences, regular-expression tokens, simplemma lemmas."""

    name = "fast"

    def __init__(self) -> None:
        self._counters = LoadedLanguages(TermCounter)

    def split(self, article: Article) -> tuple[str, ...]:
        """Return the sentences of an article; the title is sentence 0."""
        lang = language_of(article.lang)
        return split_article(
            article, lambda lines: chain.from_iterable(segments(lang, x) for x in lines)
        )

    def count(self, sentences: Sequence[str], lang: str | None) -> TermCounts:
        """Count the (1,2)-gram terms of each sentence."""
        return self.count_all([sentences], lang)[0]

    def count_all(
        self, texts: Sequence[Sequence[str]], lang: str | None
    ) -> list[TermCounts]:
        """Count the terms of several articles of one language, which is faster."""
        return self._counter(lang).count(texts)

    def load(self, lang: str | None) -> None:
        """Have the dictionary of a language in memory; any thread may ask."""
        self._counter(lang)

    def _counter(self, lang: str | None) -> TermCounter:
        language = language_of(lang)
        # languages of which nothing is known are all read in the same way
        return self._counters.get(language if is_read(language) else UNKNOWN)
