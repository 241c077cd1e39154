"""One language, other words: what is known of pairs that have few words in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ustory.core.arrays import Mask, Vector
from ustory.core.protocols import Encoder
from ustory.core.settings import Settings
from ustory.engine.online import Engine
from ustory.scores.agreement import bcubed
from ustory.sources.open import open_source
from ustory_bench.quality.ablation_encoders import PARAPHRASES
from ustory_bench.quality.pair_data import PairSet
from ustory_bench.quality.pair_scores import (
    Encoders,
    PairScores,
    joined,
    read_articles,
    scored,
)
from ustory_bench.quality.ranking import (
    average_precision,
    interval,
    precision_recall,
    resampled,
)
from ustory_bench.runner.follow import prepared_slides

LOW = 0.25
"""The share of true pairs that have the fewest words in common."""
PRECISE = 0.8
"""The precision at which recall is told."""
GISTS = {"none": "", "multilingual": " and gists"}


def few_words(words: Vector, right: Mask) -> Mask:
    """Return the pairs whose words are as little alike as the lowest of true ones."""
    return words <= np.quantile(words[right], LOW)


def other_words(sets: Sequence[PairSet], encoders: Mapping[str, Encoder]) -> Any:  # noqa: ANN401 - JSON
    """Return what pairs of one language with other words are known by.

    `encoders` are main encoders by name, and `multilingual`. MiniLM knows English, so
    it is measured on pairs in English, all of whose articles are the window.
    """
    gist = encoders["multilingual"]
    mains = {name: each for name, each in encoders.items() if name != "multilingual"}
    english = [_in_one(each, "en") for each in sets]
    one = [_in_one(each, None) for each in sets]
    usual = {name: each for name, each in mains.items() if name == "wordllama"}
    return {
        "every language": _measured(one, usual, gist),
        "English": _measured(english, mains, gist),
        "paraphrases": {
            f"{name}{told}": _paraphrases(name, each, gist, asked)
            for name, each in mains.items()
            for asked, told in GISTS.items()
        },
    }


def _in_one(chosen: PairSet, language: str | None) -> PairSet:
    def fits(both: tuple[str, str]) -> bool:
        return both[0] == both[1] and language in (None, both[0])

    return chosen.only([p for p in chosen.pairs if fits(chosen.languages(p))])


def _measured(
    sets: Sequence[PairSet], mains: Mapping[str, Encoder], gist: Encoder
) -> dict[str, Any]:
    found: PairScores | None = None
    for name, main in mains.items():
        for asked, told in GISTS.items():
            settings = Settings(encoder=name, gist_encoder=asked)
            parts = [scored(each, settings, Encoders(main, gist)) for each in sets]
            each = joined(parts)
            new = {f"{name}{told}": each.scores["all"]}
            if found is None:
                new |= {n: each.scores[n] for n in ("words", "plain")}
                found = PairScores(
                    pairs=each.pairs,
                    languages=each.languages,
                    right=each.right,
                    scores={},
                    words=each.words,
                )
            if asked == "none":
                new[f"meaning of {name}"] = each.scores["vectors"]
            found = found.beside(**new)
    assert found is not None
    low = found.only(few_words(found.words, found.right))
    drawn = resampled(dict(low.scores), low.right)
    return {
        "pairs": len(low),
        "same": int(low.right.sum()),
        "most alike": round(float(low.words.max()), 4),
        "systems": {
            name: {
                "average_precision": round(average_precision(scores, low.right), 4),
                "interval": [round(end, 4) for end in interval(drawn[name])],
                "recall": round(
                    precision_recall(scores, low.right).recall_at(PRECISE), 4
                ),
            }
            for name, scores in low.scores.items()
        },
    }


def _paraphrases(name: str, main: Encoder, gist: Encoder, asked: str) -> dict[str, Any]:
    """Return how well the stories of invented paraphrases are found."""
    settings = Settings(encoder=name, gist_encoder=asked)
    articles = [each.article for each in open_source(str(PARAPHRASES)).read()]
    ready = read_articles(articles, settings, Encoders(main, gist))
    engine, stories = Engine(settings, main), dict[str, str | None]()
    state = engine.begin()
    for slide in prepared_slides(ready, settings):
        state, _ = engine.advance(state, slide)
        stories.update({key: state.link.story.get(key) for key in state.records})
    truth = [each.article.label for each in ready]
    found = [stories[each.article.id] or (each.article.id,) for each in ready]
    score = bcubed(truth, found)._asdict()
    return {key: round(value, 4) for key, value in score.items()}
