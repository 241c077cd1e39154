"""`ustory discover` goes on without an article that cannot be read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from ustory.cli.main import cli
from ustory.core.article import Article
from ustory.text.fast import FastPipeline


class Panic(BaseException):
    """What a compiled package throws: no Exception."""


def test_an_article_that_cannot_be_read_is_set_aside_with_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    split = FastPipeline.split

    def panicky(self: FastPipeline, article: Article) -> tuple[str, ...]:
        if "poison" in article.title:
            raise Panic("byte index 12 is not a boundary")
        return split(self, article)

    monkeypatch.setattr(FastPipeline, "split", panicky)
    titles = ["Storm in the harbour", "poison", "Storm closes the harbour"]
    stream = tmp_path / "news.jsonl"
    stream.write_text(
        "".join(
            json.dumps({"id": f"a{n}", "title": t, "published_at": f"2024-05-0{n + 1}"})
            + "\n"
            for n, t in enumerate(titles)
        )
    )

    done = CliRunner().invoke(
        cli, ["discover", str(stream), "--encoder", "tiny", "--json", "--slide", "7d"]
    )

    assert done.exit_code == 0, done.output
    assert "Warning: article 'a1' is set aside: Panic: byte index 12" in done.stderr
    assert json.loads(done.stdout)["articles"] is not None
