from __future__ import annotations

import re

from click.testing import CliRunner

from ustory.cli.main import cli
from ustory.sources.demo import EXPLAINED


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
