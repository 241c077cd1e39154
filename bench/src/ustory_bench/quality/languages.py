"""News in several languages: python -m ustory_bench.quality.languages.

Labelled pairs, streams that are made from them, and pairs with few words in common.
Nothing may be fitted on the pairs.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from ustory import load_encoder
from ustory.core.arrays import Mask
from ustory.core.article import Article
from ustory.core.protocols import Encoder
from ustory.core.settings import Settings
from ustory_bench.quality.language_streams import (
    PASSES,
    Truth,
    cosines_told,
    links_told,
    run_links,
    single_pass,
    stories_told,
)
from ustory_bench.quality.other_words import other_words
from ustory_bench.quality.pair_data import FILES, PairSet, load_pairs, merged, pair_file
from ustory_bench.quality.pair_scores import (
    Encoders,
    PairScores,
    encoded,
    joined,
    plain_text,
    read_articles,
    scored,
)
from ustory_bench.quality.ranking import average_precision, interval, resampled
from ustory_bench.quality.stand_in import DAYS, sizes, stand_in
from ustory_bench.quality.streams import ROOT
from ustory_bench.speed.machine import machine

RESULTS = ROOT / "bench" / "results" / "languages.json"
WITH = Settings(gist_encoder="multilingual")
WITHOUT = Settings(gist_encoder="none")
SYSTEMS = ("words", "meaning", "lead", "plain", "long", "without", "evidence", "all")
"""In the order of tables."""
RIVALS = ("lead", "plain", "long")
"""Plain cosines of the multilingual encoder, of more and more text."""
PARTS = ("pairs", "streams", "other_words")
"""What is measured, one after the other; each is written when it is done."""


def pair_scores(chosen: PairSet, encoders: Encoders) -> PairScores:
    """Return what all systems say of the pairs of a set."""
    found = scored(chosen, WITH, encoders)
    without = scored(chosen, WITHOUT, encoders, plain=False).scores
    return PairScores(
        pairs=found.pairs,
        languages=found.languages,
        right=found.right,
        scores={
            "words": without["words"],
            "meaning": without["vectors"],
            **{rival: found.scores[rival] for rival in RIVALS},
            "without": without["all"],
            "evidence": found.scores["own"],
            "all": found.scores["all"],
        },
        words=found.words,
    )


def groups(found: PairScores) -> dict[str, Mask]:
    """Return which pairs are in each row of the table: pooled, then by language."""
    across, rows = found.across, {"all": np.ones(len(found), dtype=bool)}
    rows |= {"one language": ~across, "two languages": across}
    each = np.array(["-".join(both) for both in found.languages])
    order = sorted(set(found.languages), key=lambda both: (both[0] == both[1], both))
    rows |= {"-".join(both): each == "-".join(both) for both in order}
    return {name: mask for name, mask in rows.items() if mask.any()}


def precision_told(found: PairScores) -> dict[str, Any]:
    """Return the average precision of all systems, and how far from rivals it is."""
    drawn = resampled(dict(found.scores), found.right)
    said = {n: average_precision(s, found.right) for n, s in found.scores.items()}
    return {
        "pairs": len(found),
        "same": int(found.right.sum()),
        "systems": {
            name: {
                "average_precision": round(said[name], 4),
                "interval": _ends(drawn[name]),
                "less": {
                    rival: {
                        "difference": round(said[name] - said[rival], 4),
                        "interval": _ends(drawn[name] - drawn[rival]),
                    }
                    for rival in RIVALS
                },
            }
            for name in found.scores
        },
    }


def _ends(values: Any) -> list[float]:  # noqa: ANN401 - an array
    return [round(end, 4) for end in interval(values)]


def pairs_measured(sets: Sequence[PairSet], encoders: Encoders) -> dict[str, Any]:
    """Return the tables of each file, of both, and of pairs in two languages alone."""
    scores = {each.name: pair_scores(each, encoders) for each in sets}
    tables = {**scores, "both": joined(list(scores.values()))}
    told: dict[str, Any] = {
        name: {row: precision_told(found.only(m)) for row, m in groups(found).items()}
        for name, found in tables.items()
    }
    for each in sets:
        alone = originals(each)
        if alone.pairs:
            found = pair_scores(alone, encoders)
            told[f"{each.name}, two languages alone"] = {"all": precision_told(found)}
    return told


def originals(chosen: PairSet) -> PairSet:
    """Return the pairs in two languages in which each article has one text only."""
    text: dict[str, str] = {}
    kept = []
    for pair in chosen.pairs:
        one, other = chosen.languages(pair)
        ends = {chosen.original[end]: end for end in (pair.one, pair.other)}
        new = all(text.get(key, end) == end for key, end in ends.items())
        if one != other and len(ends) == 2 and new:
            kept.append(pair)
            text.update(ends)
    return chosen.only(kept)


def streams_measured(chosen: PairSet, encoders: Encoders) -> dict[str, Any]:
    """Return how well stories are found in streams that are made from pairs."""
    told = {}
    for titles in (True, False):
        articles = stand_in(chosen, titles)
        count = Counter(article.label for article in articles)
        several = [article for article in articles if count[article.label] > 1]
        what = "titles" if titles else "texts"
        told[what] = stream_told(several, chosen, encoders)
        if titles:
            told["titles, lone ones too"] = stream_told(articles, chosen, encoders)
    return told


def stream_told(
    articles: Sequence[Article], chosen: PairSet, encoders: Encoders
) -> dict[str, Any]:
    """Return the scores of the default mode and of rivals on one stream."""
    systems: dict[str, Any] = {}
    window = Settings().window
    for name, settings in (("without", WITHOUT), ("all", WITH)):
        ready = read_articles(articles, settings, encoders)
        truth = Truth.of(ready)
        found = run_links(ready, settings, encoders.main)
        systems[name] = stories_told(truth, found.stories)
        systems[name]["links"] = links_told(truth, found.pairs)
    vectors = encoded([plain_text(each) for each in ready], encoders.gist)
    assert not isinstance(window, int)
    passes = {
        threshold: stories_told(truth, single_pass(ready, vectors, window, threshold))
        for threshold in PASSES
    }
    best = max(passes, key=lambda threshold: passes[threshold]["whole"]["f1"])
    systems["plain"] = {
        **passes[best],
        "threshold": best,
        "links": cosines_told(truth, ready, vectors, window),
        "passes": {
            str(threshold): {key: each[key] for key in ("whole", "across")}
            for threshold, each in passes.items()
        },
    }
    systems["alone"] = stories_told(truth, {})
    return {
        "articles": len(articles),
        "days": DAYS,
        "sizes": {str(size): many for size, many in sizes(articles).items()},
        "translations": translations(articles, chosen),
        "systems": systems,
    }


def translations(articles: Sequence[Article], chosen: PairSet) -> int:
    """Return how many true pairs are an article and a translation of it."""
    count = Counter(chosen.original[article.id] for article in articles)
    return sum(many * (many - 1) // 2 for many in count.values())


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print the main numbers, and write the results."""
    asked, console = _arguments(arguments), Console()
    loaded = {name: _encoder(name, asked.cache) for name in asked.encoders}
    encoders = Encoders(loaded["wordllama"], loaded["multilingual"])
    with console.status("reading pairs"):
        sets = [load_pairs(name) for name in FILES]
    whole: dict[str, Any] = {
        **_before(asked.results),
        "machine": machine(),
        "encoders": sorted(loaded),
        "files": {
            each.name: {"articles": len(each.articles), "pairs": len(each.pairs)}
            for each in sets
        },
    }
    measures: Mapping[str, Callable[[], Any]] = {
        "pairs": lambda: pairs_measured(sets, encoders),
        "streams": lambda: streams_measured(merged(sets), encoders),
        "other_words": lambda: other_words(sets, loaded),
    }
    for name in asked.only:
        with console.status(f"measuring {name}"):
            whole[name] = measures[name]()
        _write(asked.results, whole)
    _show(console, whole)
    console.print(f"written to {asked.results}", soft_wrap=True)


def _before(path: Path) -> dict[str, Any]:
    """Return the results there are, of which some are to be measured anew."""
    if not path.exists():
        return {}
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def _write(path: Path, whole: Mapping[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")


def _encoder(name: str, cache: Path | None) -> Encoder:
    file = cache / f"{name}.sqlite" if cache is not None else None
    return load_encoder(name, file)


def _show(console: Console, whole: Mapping[str, Any]) -> None:
    table = Table("pairs", "how many", *SYSTEMS, "evidence less lead")
    for name, each in whole.get("pairs", {}).items():
        for row, told in each.items():
            said = told["systems"]
            cells = [f"{said[system]['average_precision']:.3f}" for system in SYSTEMS]
            beside = said["evidence"]["less"]["lead"]
            low, high = beside["interval"]
            less = f"{beside['difference']:+.3f} [{low:+.3f}, {high:+.3f}]"
            table.add_row(f"{name} {row}", str(told["pairs"]), *cells, less)
    console.print(table)
    streams = Table("stream", "system", "B³-F1", "across: precision", "recall")
    for name, each in whole.get("streams", {}).items():
        for system, told in each["systems"].items():
            pairs = told["across"]
            scores = (told["whole"]["f1"], pairs["precision"], pairs["recall"])
            streams.add_row(name, system, *map(str, scores))
    console.print(streams)


def _arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--results", type=Path, default=RESULTS, help="what to write")
    parser.add_argument("--cache", type=Path, help="a folder that keeps vectors")
    parser.add_argument(
        "--encoders",
        nargs="+",
        default=["wordllama", "minilm", "multilingual"],
        help="those to measure; minilm and multilingual must be installed",
    )
    parser.add_argument(
        "--only", nargs="+", default=PARTS, choices=PARTS, help="parts to measure"
    )
    asked = parser.parse_args(given)
    absent = [name for name in FILES if pair_file(name) is None]
    if absent:
        parser.error(
            f"no labelled pairs here: {', '.join(absent)} in shared/data/pairs"
        )
    return asked


if __name__ == "__main__":
    main()
