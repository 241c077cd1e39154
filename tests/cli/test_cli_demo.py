from __future__ import annotations

import re

import pytest
from click.testing import CliRunner

from ustory.cli.demo_languages import say_if_missing
from ustory.cli.main import cli
from ustory.sources.demo import EXPLAINED, EXPLAINED_LANGUAGES


def test_the_demo_finds_explains_and_scores_and_says_what_is_next() -> None:
    result = CliRunner().invoke(cli, ["demo"])

    assert result.exit_code == 0, result.output
    stories = re.findall(r"^s\d{6} ", result.stdout, re.MULTILINE)
    assert len(stories) >= 12
    assert "122 articles" in result.stdout
    assert "preset default" in result.stdout
    assert f"\n{EXPLAINED}: " in result.stdout
    assert "joined story s" in result.stdout
    assert "Next is story s" in result.stdout
    assert re.search(r"^s\d\d  0\.\d{3} ", result.stdout, re.MULTILINE)
    scores = re.findall(
        r"^(singleton|paper)  .*?((?:  \d\.\d{4}){5})$", result.stdout, re.M
    )
    assert [protocol for protocol, _ in scores] == ["singleton"] * 2 + ["paper"] * 2
    assert all(float(figures.split()[2]) > 0.5 for _, figures in scores)
    assert "ustory discover NEWS.jsonl" in result.stdout.split("What to do next:")[1]


def test_the_demo_explains_an_article_of_one_earthquake() -> None:
    output = " ".join(CliRunner().invoke(cli, ["demo"]).stdout.split())
    explanation = output.split(f"{EXPLAINED}: ")[1]

    assert "The probability is" in explanation
    assert "Ostry Ridge" in explanation.split("Next is story ")[0]


def test_the_demo_of_languages_shows_which_ones_each_story_has() -> None:
    result = CliRunner().invoke(cli, ["demo", "--languages"])

    assert result.exit_code == 0, result.output
    assert "89 articles" in result.stdout
    found, shown = result.stdout.split("In which languages is each story?")
    stories = set(re.findall(r"^s\d{6}(?=  )", found, re.MULTILINE))
    rows = dict(
        re.findall(r"^(s\d{6})  ((?:(?:[a-z]{2}|\?) \d+(?:, )?)+)", shown, re.MULTILINE)
    )
    assert rows.keys() == stories
    outside = re.search(r"; in no story: (.*)$", shown, re.MULTILINE)
    assert outside is not None
    counts = re.findall(r"\d+", ", ".join([*rows.values(), outside[1]]))
    assert sum(map(int, counts)) == 89
    assert {"ar", "de", "en", "es", "ru", "zh"} <= set(
        re.findall(r"[a-z]{2}", ", ".join([*rows.values(), outside[1]]))
    )
    assert f"\n{EXPLAINED_LANGUAGES}: " in shown
    assert "89 labelled articles, 24 true stories" in shown
    assert "ustory serve --demo --languages" in shown.split("What to do next:")[1]


def test_the_demo_of_languages_runs_without_the_extra_and_names_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ustory.core.extras.find_spec", lambda name: None)

    result = CliRunner().invoke(cli, ["demo", "--languages"])

    said = "install it with: pip install 'ustory[multilingual]'"
    assert result.exit_code == 0, result.output
    assert [line for line in result.stdout.splitlines() if "pip install" in line] == [
        f"What links articles across languages is not installed; {said}"
    ]


def test_where_the_extra_is_installed_nothing_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("ustory.core.extras.find_spec", lambda name: object())

    say_if_missing()

    assert capsys.readouterr().out == ""
