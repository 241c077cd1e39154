"""`ustory discover` reads articles that say no language."""

from __future__ import annotations

from pathlib import Path

from tests.cli.calls import Ustory, read_lines, write_lines
from tests.text.many_languages import REPORTS


def test_no_keyword_is_a_function_word_in_any_language(ustory: Ustory) -> None:
    langs = {
        title: lang for lang, (reports, _) in REPORTS.items() for title, _ in reports
    }
    rows = [
        {
            "id": f"{lang} {number}",
            "published_at": f"2024-03-01T{number:02}:00:00Z",
            "title": title,
            "text": text,
        }
        for number in range(3)
        for lang, (reports, _) in REPORTS.items()
        for title, text in [reports[number]]
    ]
    write_lines(Path("news.jsonl"), rows)
    result = ustory(
        "discover", "news.jsonl", "--encoder", "tiny", "--stories", "stories.jsonl"
    )
    assert result.exit_code == 0, result.output
    stories = read_lines(Path("stories.jsonl"))
    assert len(stories) == len(REPORTS)
    for story in stories:
        lang = langs[story["headline"]]
        words = {word for keyword in story["keywords"] for word in keyword.split()}
        assert words
        assert not words & set(REPORTS[lang][1].split())
