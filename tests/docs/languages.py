"""What is known across languages, as Markdown for the documentation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.docs.measured import FOLDER, grid, number, results, shown
from tests.docs.parts import link
from ustory_bench.quality.languages import RIVALS, SYSTEMS
from ustory_bench.quality.languages_figures import figures
from ustory_bench.report.blocks import Figure

FILE = "languages.json"
_NAMES = {
    "words": "words",
    "meaning": "meaning, `wordllama`",
    "lead": "cosine, title and lead",
    "plain": "cosine, the gist's text",
    "long": "cosine, 1,000 characters",
    "without": "all, without gists",
    "evidence": "all evidence",
    "all": "all, beside other links",
}
_OURS = ("evidence", "all")
_STREAMS = {
    "without": "default, without gists",
    "all": "default, with gists",
    "plain": "plain cosine, single pass",
    "alone": "every article alone",
}


def language_figures() -> list[Figure]:
    """Return the curves of what was measured."""
    found = _found()
    return figures(found) if found else []


def languages(page: Path, what: str, name: str = "") -> str:
    """Return a part of the page: about, pairs, pooled, streams, inside, other words."""
    if what == "figure":
        return shown(page, language_figures()[0])
    written: dict[str, Callable[[Path, str], str]] = {
        "about": _about,
        "pooled": _pooled,
        "pairs": _pairs,
        "stream": _stream,
        "inside": _inside,
        "words": _words,
        "paraphrases": _paraphrases,
    }
    return written[what](page, name)


def _found() -> dict[str, Any]:
    found: dict[str, Any] = results(FILE) if (FOLDER / FILE).exists() else {}
    return found


def _about(page: Path, name: str) -> str:
    files = ", ".join(
        f"`{name}` ({each['pairs']:,} pairs of {each['articles']:,} articles)"
        for name, each in _found()["files"].items()
    )
    return (
        f"Measured on {files}. Every number is in "
        f"{link(page, f'bench/results/{FILE}')}, which "
        "`python -m ustory_bench.quality.languages` writes."
    )


def _pooled(page: Path, name: str) -> str:
    """Return a row for each set of pairs that is pooled."""
    tables = _found()["pairs"]
    rows = {
        "in two languages": tables["both"]["two languages"],
        "in two languages, one text of each article": next(
            each["all"] for key, each in tables.items() if key.endswith("alone")
        ),
        "in one language": tables["both"]["one language"],
        **{f"`{key}`": tables[key]["all"] for key in _found()["files"]},
    }
    return _table(rows)


def _pairs(page: Path, name: str) -> str:
    """Return a row for each pair of languages of both files."""
    pooled = {"all", "one language", "two languages"}
    table = _found()["pairs"]["both"]
    return _table({row: each for row, each in table.items() if row not in pooled})


def _table(rows: Mapping[str, Any]) -> str:
    """Return two tables: average precisions, and how far ours are from the rivals."""
    head = ["pairs", "how many", "of one story", *(_NAMES[name] for name in SYSTEMS)]
    less = [
        f"{_NAMES[name]} less {_NAMES[rival]}" for name in _OURS for rival in RIVALS
    ]
    return "\n\n".join(
        [
            grid(head, [_row(name, each) for name, each in rows.items()]),
            grid(["pairs", *less], [_far(name, each) for name, each in rows.items()]),
        ]
    )


def _row(name: str, each: Mapping[str, Any]) -> list[str]:
    said = each["systems"]
    many = [f"{each['pairs']:,}", f"{each['same']:,}"]
    return [name, *many, *(number(said[s]["average_precision"]) for s in SYSTEMS)]


def _far(name: str, each: Mapping[str, Any]) -> list[str]:
    less = [each["systems"][system]["less"] for system in _OURS]
    return [name, *(_less(one[rival]) for one in less for rival in RIVALS)]


def _less(each: Mapping[str, Any]) -> str:
    low, high = each["interval"]
    ends = f"{number(low)}, {number(high)}"
    return f"{number(each['difference'])} \\[{ends}\\]"


def _stream(page: Path, name: str) -> str:
    """Return the scores of systems on the streams that are made from pairs."""
    head = ["", "B³-F1", "precision", "recall"]
    head += ["pairs across: precision", "recall", "recall where 0.8 is precise"]
    rows = []
    for stream, each in _found()["streams"].items():
        about = f"{stream} ({each['articles']:,} articles)"
        for system, title in _STREAMS.items():
            told = each["systems"][system]
            whole, across = told["whole"], told["across"]
            reached = told.get("links", {}).get("recall_at_wanted")
            rows.append(
                [
                    f"{about}: {_named(system, title, told)}",
                    *(number(whole[key]) for key in ("f1", "precision", "recall")),
                    *(number(across[key]) for key in ("precision", "recall")),
                    number(reached),
                ]
            )
    return grid(head, rows)


def _named(system: str, title: str, told: Mapping[str, Any]) -> str:
    return f"{title} at {told['threshold']}" if system == "plain" else title


def _inside(page: Path, name: str) -> str:
    """Return B³-F1 inside each language of one stream."""
    systems = _found()["streams"][name]["systems"]
    head = ["language", "articles", *_STREAMS.values()]
    return grid(
        head,
        [
            [
                language,
                f"{each['articles']:,}",
                *(number(systems[one]["inside"][language]["f1"]) for one in _STREAMS),
            ]
            for language, each in systems["all"]["inside"].items()
        ],
    )


def _words(page: Path, name: str) -> str:
    """Return what pairs with few words in common are known by."""
    head = ["", "pairs", "of one story", "average precision", "recall where 0.8"]
    rows = [
        [
            f"{where}: {system}",
            f"{each['pairs']:,}",
            f"{each['same']:,}",
            f"{number(told['average_precision'])} "
            f"\\[{', '.join(number(end) for end in told['interval'])}\\]",
            number(told["recall"]),
        ]
        for where in ("every language", "English")
        for each in (_found()["other_words"][where],)
        for system, told in each["systems"].items()
    ]
    return grid(head, rows)


def _paraphrases(page: Path, name: str) -> str:
    """Return how well invented paraphrases are found."""
    head = ["", "B³-F1", "precision", "recall"]
    return grid(
        head,
        [
            [system, *(number(each[key]) for key in ("f1", "precision", "recall"))]
            for system, each in _found()["other_words"]["paraphrases"].items()
        ],
    )


PARTS: dict[str, Callable[..., str]] = {"languages": languages}
