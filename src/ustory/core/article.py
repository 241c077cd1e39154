"""An article as it is published, and as the engine sees it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

from ustory.core.arrays import Counts, Indices, Matrix, SentenceVectors


@dataclass(frozen=True, slots=True, kw_only=True)
class Article:
    """One news article; all times are aware UTC."""

    id: str
    published_at: datetime
    """The publisher's claim of when it appeared."""
    title: str = ""
    text: str = ""
    url: str | None = None
    lang: str | None = None
    """Primary language subtag in lower case (`en`, `de`), when known."""
    fetched_at: datetime | None = None
    source: str | None = None
    authors: tuple[str, ...] = ()
    doubtful: bool = False
    """Whether its date does not say who was first: of copies in one slide it counts
    as published when it was fetched."""
    label: str | None = None
    """The true story, on labelled streams only; no method may read it."""


def web_link(url: str | None) -> str | None:
    """Return an address if it is one that a reader may follow, else None.

    >>> web_link("https://a.example/b"), web_link("javascript:alert(1)")
    ('https://a.example/b', None)
    """
    if not url or any(c <= " " for c in url):
        return None
    try:
        parts = urlsplit(url)
        return url if parts.scheme in ("http", "https") and parts.hostname else None
    except ValueError:
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class TermCounts:
    """How often each term appears in each sentence: 𝒯_s of Def 3 (4.2), sparse.

    A term is one word or two adjacent ones. Cell i says that term `term[i]`
    appears `count[i]` times in sentence `sentence[i]`; cells are sorted by
    (term, sentence), and terms are distinct.
    """

    words: tuple[str, ...]
    """Distinct words, in order of appearance."""
    first: Indices
    """(terms,) the first word of each term, as a position in `words`."""
    second: Indices
    """(terms,) its second word, -1 for terms of one word."""
    tf: Counts
    """(terms,) appearances of each term in the whole article."""
    cells: Counts
    """(terms,) number of sentences that hold each term."""
    term: Indices
    sentence: Indices
    count: Counts

    @property
    def terms(self) -> tuple[str, ...]:
        """The terms, written out."""
        pairs = zip(self.first.tolist(), self.second.tolist(), strict=True)
        return tuple(
            self.words[a] if b < 0 else f"{self.words[a]} {self.words[b]}"
            for a, b in pairs
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedArticle:
    """An article with its sentences, their terms and their vectors.

    Sentence 0 is the title, if there is one.
    """

    article: Article
    sentences: tuple[str, ...]
    counts: TermCounts
    vectors: SentenceVectors | Matrix
    """One unit row per sentence, as enc(s) gave it: float16 numbers, which may be
    held as float32 to save the engine the conversion."""
    gist: Matrix | None = None
    """Title and lead as one row of unit length, whatever their language; None where the
    setting `gist_encoder` is `none`."""
