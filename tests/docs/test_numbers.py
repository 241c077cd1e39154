"""Every number that was measured comes out of a file of results, by a program."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from tests.docs.measured import PICTURES, results
from tests.docs.pages import ROOT, name_of, pages, without_examples
from tests.docs.parts import filled, names_in, unfinished, without_parts
from tests.docs.pictures import pictures, stale
from tests.docs.written import PARTS
from ustory.sources.demo import demo_stream, languages_stream

WHOLE = {ROOT / "docs" / "reference" / name for name in ("cli.md", "systems.md")}
"""Pages that a program writes to the end."""
TYPED = [
    page
    for page in pages()
    if page not in WHOLE and ROOT / "bench" / "results" not in page.parents
]
MEASURED = re.compile(
    r"\b0\.\d{3,}\b"
    r"|\b\d[\d,.]*\s?(?:ms|MiB|GiB)\b"
    r"|\b\d[\d,.]*\s?(?:articles|sentences)(?:/s| a second| per second)\b"
)


@pytest.mark.parametrize("page", TYPED, ids=name_of)
def test_no_measured_number_is_typed(page: Path) -> None:
    typed = MEASURED.findall(without_examples(without_parts(page)))

    assert typed == [], "let `make docs` write it: see tests/docs/parts.py"


@pytest.mark.parametrize(
    "text",
    ["B³-F1 is 0.887.", "takes 20 ms", "1,234 articles a second", "holds 12.5 MiB"],
)
def test_a_typed_number_would_be_found(text: str) -> None:
    assert MEASURED.search(text)


@pytest.mark.parametrize("page", TYPED, ids=name_of)
def test_every_part_has_an_end_and_a_program_that_writes_it(page: Path) -> None:
    assert unfinished(page) == 0
    assert set(names_in(page)) <= set(PARTS)


def test_every_program_is_asked_by_some_page() -> None:
    asked = {name for page in TYPED for name in names_in(page)}

    assert set(PARTS) - asked == set()


def test_a_part_is_written_between_its_comments_and_nowhere_else(
    tmp_path: Path,
) -> None:
    page = tmp_path / "page.md"
    opening, end = "<!-- written by make docs: told a 1.5 -->", "<!-- until here -->"
    page.write_text(f"Before.\n{opening}\nold\n{end}\nAfter.\n", encoding="utf-8")

    written = filled(page, {"told": lambda page, *words: " and ".join(words)})

    assert written == f"Before.\n{opening}\n\na and 1.5\n\n{end}\nAfter.\n"
    assert without_parts(page) == "Before.\n\nAfter.\n"


def test_the_pictures_show_what_was_measured() -> None:
    assert [path.name for path in stale()] == [], "draw them anew with: make docs"


def test_there_is_no_picture_that_no_page_shows() -> None:
    assert set(PICTURES.iterdir()) == set(pictures())
    shown = "".join(page.read_text(encoding="utf-8") for page in pages())
    assert [path.name for path in pictures() if path.name not in shown] == []


def test_pictures_are_small_enough_to_be_committed() -> None:
    large = {
        path.name: path.stat().st_size
        for path in (ROOT / "docs" / "assets").rglob("*.*")
        if path.stat().st_size > 300_000
    }

    assert large == {}


def test_the_tutorial_counts_the_articles_of_the_demo() -> None:
    articles = len(demo_stream().read_text(encoding="utf-8").splitlines())
    text = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")

    assert f"reads {articles} invented articles" in text


def test_the_page_on_languages_counts_the_demo_in_six_languages() -> None:
    names = {
        "ar": "Arabic",
        "de": "German",
        "en": "English",
        "es": "Spanish",
        "ru": "Russian",
        "zh": "Chinese",
    }
    lines = languages_stream().read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    written = Counter(names[record["id"][:2]] for record in records)
    sizes = Counter(record["story"] for record in records)
    stories = sum(size > 1 for size in sizes.values())
    text = (ROOT / "docs" / "languages.md").read_text(encoding="utf-8")

    assert f"{len(records)} invented articles" in text
    assert f"Of its {stories} stories" in text
    assert {lang: f"{lang} ({count})" in text for lang, count in written.items()} == (
        dict.fromkeys(names.values(), True)
    )


def test_each_mean_is_the_mean_of_its_seeds() -> None:
    for stream in results("choices.json")["streams"].values():
        for values in stream["choices"].values():
            for scores in values.values():
                by_seed = scores["by seed"]
                assert len(by_seed) == len(stream["seeds"])
                mean = sum(by_seed) / len(by_seed)
                assert scores["mean"] == pytest.approx(mean, abs=1e-4)
