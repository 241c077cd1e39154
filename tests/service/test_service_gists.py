"""A database keeps the encoder of gists that it was begun with."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.service.running import DAILY, ORIGIN, Rig, opened, pipeline
from ustory.core.article import Article
from ustory.core.errors import StateError
from ustory.service.settings import settings_of
from ustory.service.verify import replay
from ustory.sources.demo import languages_stream
from ustory.sources.open import open_source
from ustory.store import Store
from ustory.testing import TinyEncoder

INSTALLED = "ustory.encode.gist.is_installed"
GISTS = replace(DAILY, gist_encoder="tiny")
AUTO = replace(DAILY, gist_encoder="auto")


def stream() -> list[Article]:
    return [each.article for each in open_source(str(languages_stream())).read()]


def told(rig: Rig, articles: list[Article]) -> None:
    for first in range(0, len(articles), 20):
        rig.intake.accept(articles[first : first + 20], ORIGIN, str(first))
        rig.loop.catch_up()


def kept(store: Store) -> str:
    settings = settings_of(store)
    assert settings is not None
    return settings.gist_encoder


def test_a_database_goes_on_with_its_gists_and_is_computed_again_the_same(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(url) as store:
        told(Rig(store, settings=GISTS), stream()[:45])
        assert kept(store) == "tiny"
        monkeypatch.setattr(INSTALLED, lambda: False)
        rig = Rig(store, settings=AUTO)  # it is what the database has
        assert rig.loop.settings.gist_encoder == "tiny"
        told(rig, stream()[45:])
        rig.loop.finish()
        assert len(rig.loop.state.link.gists.languages) > 2

        verdict = replay(store, encoder=TinyEncoder(), pipeline=pipeline())

        assert verdict.problems == ()
        assert verdict.articles == len(stream())


def test_a_database_without_gists_goes_on_without(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(url) as store:
        told(Rig(store, settings=AUTO), stream()[:20])
        assert kept(store) == "none"
        monkeypatch.setattr(INSTALLED, lambda: True)
        assert Rig(store, settings=AUTO).loop.settings.gist_encoder == "none"
        with pytest.raises(StateError, match="gist_encoder is none, not tiny"):
            Rig(store, settings=GISTS)
