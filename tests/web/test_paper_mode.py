"""Mode `paper` through the API: what it decided is explained in its own measures."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from tests.web.conftest import fill, get, open_service, the_service
from ustory.web.app import create_app


@pytest.fixture(scope="module")
def paper(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """Return a client of a service in mode `paper` that has read the demo stream."""
    service = open_service(tmp_path_factory.mktemp("paper") / "filled.db", mode="paper")
    fill(service)
    with TestClient(create_app(service)) as client:
        yield client
    service.store.close()


def test_a_decision_is_explained_by_similarity_and_not_as_a_probability(
    paper: TestClient,
) -> None:
    state = the_service(paper).loop.state
    rivals = 0
    for article, record in state.records.items():
        why = get(paper, f"/api/articles/{article}/explanation")
        told = " ".join(why["reasons"])
        assert "probability" not in told
        assert "%" not in told
        assert why["probability"] is why["evidence"] is why["words"] is None
        assert why["story"] == (record.decision.story if record.decision else None)
        if why["best"] is None:
            continue
        assert why["similarity"] == pytest.approx(why["cosine"] * why["divergence"])
        assert 0 <= why["similarity"] <= 1
        assert f"The similarity is {why['similarity']:.2f} = " in told
        assert ("passes the bar" in told) == (why["log_odds"] >= 0)
        if why["runner_up"]:
            rivals += 1
            behind = why["similarity"] - why["margin"]
            assert 0 <= behind <= 1
            assert f": a similarity of {behind:.2f} against" in told
    assert rivals > 10


def test_the_page_of_an_article_says_the_same_numbers(paper: TestClient) -> None:
    state = the_service(paper).loop.state
    article = next(
        a for a, r in state.records.items() if r.decision and r.decision.runner_up
    )
    why = get(paper, f"/api/articles/{article}/explanation")
    page = paper.get(f"/articles/{article}").text

    assert f"a similarity of {why['similarity'] - why['margin']:.2f} against" in page
    assert "Probability" not in page


def test_a_text_is_matched_by_cosine_and_divergence(paper: TestClient) -> None:
    state = the_service(paper).loop.state
    record = next(r for r in state.records.values() if r.decision)
    text = {"title": record.title, "text": " ".join(record.sentences)}

    found = paper.post("/api/match", json=text).json()["matches"]

    assert found
    assert found[0]["evidence"] is found[0]["words"] is found[0]["meaning"] is None
    assert 0 <= found[0]["cosine"] <= 1
    assert 0 <= found[0]["divergence"] <= 1
