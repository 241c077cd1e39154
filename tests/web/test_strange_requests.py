"""No request, however strange, is answered with an error of ours."""

from __future__ import annotations

import json
from urllib.parse import quote

from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.web.conftest import WRITER

PATHS = (
    "/api/stories", "/api/stories/s000001", "/api/articles", "/api/articles/a-0001",
    "/api/changes", "/api/feeds", "/api/watchlists", "/api/export/stories",
    "/api/timeline", "/api/map", "/", "/stories/s000001", "/operations", "/sources",
    "/static/css/base.css", "/readyz", "/api/events/../stories", "/api/match",
)  # fmt: skip
NAMES = ("q", "cursor", "since", "until", "after", "limit", "sort", "status", "lang",
         "keyword", "source", "format", "url", "story", "follow", "days")  # fmt: skip
STRANGE = st.one_of(
    st.text(max_size=60),
    st.sampled_from([
        "' OR 1=1 --", '"*" NEAR(a', "../../etc/passwd", "%00", "\x00", "9" * 400,
        "-1", "1e309", "NaN", "2024-13-40", "0001-01-01", "9999-12-31T23:59:59Z",
        "{{7*7}}", "<script>", "a" * 5_000, "\ud7ff", "‮", "*", '"', "(", "AND",
    ]),
)  # fmt: skip
MANY = settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@MANY
@given(
    path=st.sampled_from(PATHS),
    query=st.dictionaries(st.sampled_from(NAMES), STRANGE, max_size=4),
    more=st.text(alphabet=st.characters(codec="utf-8"), max_size=20),
)
def test_a_strange_question_is_answered_or_refused(
    reader: TestClient, path: str, query: dict[str, str], more: str
) -> None:
    for asked in (path, f"{path}/{quote(more, safe='')}"):
        answer = reader.get(asked, params=query, follow_redirects=False)
        assert answer.status_code < 500, (asked, query, answer.text)


@MANY
@given(
    name=st.sampled_from(
        ["last-event-id", "accept", "cookie", "range", "if-none-match", "content-type"]
    ),
    value=st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=200),
)
def test_a_strange_header_is_answered_or_refused(
    reader: TestClient, name: str, value: str
) -> None:
    answer = reader.get("/api/stories", headers={name: value})
    assert answer.status_code < 500, answer.text
    answer = reader.post("/api/match", headers={name: value}, content=b'{"text": "a"}')
    assert answer.status_code < 500, answer.text


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | STRANGE,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["articles", "title", "text", "url", "id", "published_at",
                             "lang", "authors", "name", "keywords", "webhook"]),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)  # fmt: skip


@MANY
@given(
    path=st.sampled_from(["/api/match", "/api/watchlists", "/api/feeds"]),
    body=ANYTHING,
)
def test_a_strange_body_is_taken_or_refused(
    reader: TestClient, path: str, body: object
) -> None:
    sent = json.dumps(body).encode()
    answer = reader.post(path, content=sent, headers={**WRITER, "X-Test": "1"})
    assert answer.status_code < 500, (body, answer.text)
