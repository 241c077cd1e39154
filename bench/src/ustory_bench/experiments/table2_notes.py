"""Table 2 in words: how to read it, and what it shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ustory.scores.agreement import PROTOCOLS
from ustory_bench.experiments.kinds import ABLATION, FLOOR, OURS
from ustory_bench.experiments.stream_windows import windows_told
from ustory_bench.experiments.table_rows import DEFAULT, TUNED
from ustory_bench.runner.jobs import OK, Plain
from ustory_bench.runner.scoring import METRICS, PARTS

OURS_FIRST = ("ustory-links", "ustory-auto", "ustory")
"""Our systems as they are told: first what `ustory discover` runs."""

_RULES = {
    "singleton": "an article without a story counts as a story of its own",
    "paper": "all articles without a story count as one story, as the paper has it",
}


def note_of(data: Mapping[str, Plain], setting: str, protocol: str, part: str) -> str:
    """Return what one must know to read a table."""
    return " ".join(_note(data, setting, protocol, part))


def text_of(data: Mapping[str, Plain]) -> str:
    """Return the two paragraphs over the tables."""
    about = (
        "Every system reads the same stream, slide by slide, with the same sentences, "
        "terms and vectors, and none sees a label except for M. Baselines work on "
        "words; their PSE variants on the mean of an article's sentence vectors, as in "
        "the paper. Scores over windows judge each window alone; scores over the whole "
        "stream judge the last story of every article, where a story that loses its id "
        "pays for it."
    )
    return "\n\n".join([about, " ".join(_findings(data))])


def minimums(data: Mapping[str, Plain]) -> dict[str, int]:
    """Return the M that the labels gave, by stream."""
    found = {}
    for stream, entries in data["streams"].items():
        for line, entry in zip(data["lines"], entries, strict=True):
            given = entry.get("parameters", {}).get("min_articles")
            if line["kind"] in (OURS, ABLATION) and given is not None:
                found[stream] = given
    return found


def _note(
    data: Mapping[str, Plain], setting: str, protocol: str, part: str
) -> Iterator[str]:
    yield f"Protocol {protocol}: {_RULES[protocol]}."
    if part == PARTS[0]:
        yield (
            f"Means over windows of {windows_told(data)} that slide by {data['slide']} "
            f"({_windows(data)}). Brackets: 95 % interval of a bootstrap over blocks "
            "of windows. *: higher than each baseline and each PSE variant with the "
            "same encoder, p < 0.05 in a paired t-test over windows."
        )
    else:
        yield "Scores of the last story of each article: one number, so no marks."
    yield (
        "Bold: the highest. △ and ▲: mean improvement over the baselines and over the "
        "PSE variants with the same encoder, as ratios of scores above 0."
    )
    given = ", ".join(f"{m} on {stream}" for stream, m in minimums(data).items())
    if given:
        yield (
            "M of ustory and its ablations is what the paper takes, the mean number of "
            f"articles of a story in a day, read off the labels: {given}; ustory-auto "
            "is given none."
        )
    if data["seeds"] > 1:
        yield f"Systems that use the seed: means of {data['seeds']} seeds."
    if setting == TUNED:
        yield "Each stream's parameters were chosen on the other streams."


def _windows(data: Mapping[str, Plain]) -> str:
    told = []
    for stream, entries in data["streams"].items():
        whole = [entry for entry in entries if entry["status"] == OK]
        if whole:
            short = "" if whole[0]["full_windows"] else " shorter ones"
            told.append(f"{whole[0]['windows']:,}{short} on {stream}")
    return ", ".join(told) or "none"


def _findings(data: Mapping[str, Plain]) -> Iterator[str]:
    """Yield a sentence for each stream: who leads, and where our method stands."""
    for stream, entries in data["streams"].items():
        scores = {
            (line["system"], line["encoder"]): entry["scores"][PROTOCOLS[0]][PARTS[0]][
                METRICS[0]
            ]
            for line, entry in zip(data["lines"], entries, strict=True)
            if entry["status"] == OK
            and line["kind"] != FLOOR
            and line["setting"] == DEFAULT
        }
        if not scores:
            yield f"On {stream} no system has a result."
            continue
        ranked = sorted(scores, key=lambda key: -scores[key]["mean"])
        (first, encoder), best = ranked[0], scores[ranked[0]]
        with_ = f" with {encoder}" if len(data["encoders"]) > 1 else ""
        told = f"On {stream}, {first}{with_} has the highest B3-F1 over windows, "
        told += f"{best['mean']:.3f}{_span(best)}"
        for ours in OURS_FIRST:
            place = next((n for n, key in enumerate(ranked, 1) if key[0] == ours), None)
            if place is not None and place > 1:
                score = scores[ranked[place - 1]]
                told += f"; {ours} is number {place} of {len(ranked)} with "
                told += f"{score['mean']:.3f}{_span(score)}"
        yield f"{told}."


def _span(score: Mapping[str, Plain]) -> str:
    spans = score.get("interval")
    return f" ({spans[0]:.3f} to {spans[1]:.3f})" if spans else ""
