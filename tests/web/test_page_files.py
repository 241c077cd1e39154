"""Style sheets and scripts: packed once, kept for long, asked for side by side."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from tests.web.conftest import open_service
from tests.web.looking import look
from ustory.web.app import create_app
from ustory.web.pages.assets import MERGED, STATIC, assets, modules, static_path

PAGES = ["/", "/timeline", "/map", "/watch", "/sources", "/operations", "/nowhere"]
SCRIPTS = sorted(path.name for path in (STATIC / "js").iterdir())


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_imports_versions_that_are_kept_for_long(
    reader: TestClient, name: str
) -> None:
    script = reader.get(static_path(f"js/{name}")).text

    imported = re.findall(r'(?:from|import)\s*\(?\s*"\./([^"]+)"', script)
    for each in imported:
        address = f"/static/js/{each}"
        assert address == static_path(f"js/{each.partition('?')[0]}")
        assert "immutable" in reader.get(address).headers["cache-control"]
    assert len(imported) == len(re.findall(r'"\./[^"]*\.js', script))


@pytest.mark.parametrize("path", PAGES)
def test_a_page_names_every_module_that_its_scripts_import(
    reader: TestClient, path: str
) -> None:
    _preloads_what_it_imports(reader, path)


@pytest.mark.parametrize("path", ["/timeline", "/map"])
def test_a_page_of_nothing_names_no_module_that_it_does_not_need(
    tmp_path: Path, path: str
) -> None:
    service = open_service(tmp_path / "empty.db")
    with TestClient(create_app(service)) as client:
        _preloads_what_it_imports(client, path)
    service.store.close()


def _preloads_what_it_imports(reader: TestClient, path: str) -> None:
    page = look(reader, path, 404 if path == "/nowhere" else 200)
    named = {each["href"] for each in page.all("link", rel="modulepreload")}
    asked = {each["src"] for each in page.all("script", type="module")}

    waiting = set(asked)
    while waiting:
        script = reader.get(waiting.pop()).text
        imported = {
            f"/static/js/{each}"
            for each in re.findall(r'(?:from|import) "\./([^"]+)"', script)
        }
        assert imported <= named | asked
        waiting |= imported - asked
        asked |= imported
    assert named <= asked


def test_what_every_page_needs_is_one_style_sheet(reader: TestClient) -> None:
    for path in PAGES[:-1]:
        sheets = look(reader, path).all("link", rel="stylesheet")
        assert sheets[0]["href"] == static_path("css/shared.css")
        assert len(sheets) <= 2

    merged = reader.get(static_path("css/shared.css")).text
    for part in MERGED["css/shared.css"]:
        assert (STATIC / part).read_text("utf-8") in merged


def test_a_file_is_packed_once_and_not_for_each_request(reader: TestClient) -> None:
    for name, asset in assets().items():
        assert gzip.decompress(asset.packed) == asset.plain
        head = {"Accept-Encoding": "gzip"}
        with reader.stream("GET", static_path(name), headers=head) as answer:
            assert b"".join(answer.iter_raw()) == asset.packed
        assert assets()[name].packed is asset.packed


def test_an_address_of_another_version_is_not_kept(reader: TestClient) -> None:
    answer = reader.get("/static/js/core.js?v=older")

    assert answer.headers["cache-control"] == "no-cache"


def test_the_head_of_a_file_is_that_of_the_file(reader: TestClient) -> None:
    head = reader.head(static_path("css/shared.css"))
    whole = reader.get(static_path("css/shared.css"))

    assert head.content == b""
    for name in ("content-length", "content-encoding", "etag", "cache-control"):
        assert head.headers[name] == whole.headers[name]


def test_modules_are_named_once_and_not_those_of_later() -> None:
    named = modules("core", "map")

    assert len(named) == len(set(named))
    assert static_path("js/times.js") in named  # imported by an imported one
    assert not [each for each in named if "plot" in each]  # only when asked for
    assert modules("no-such-script") == ()
