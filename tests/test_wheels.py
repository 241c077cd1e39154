"""Both wheels are built; the first, installed alone, runs and names what it lacks."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.parts import ROOT
from ustory.sources.demo import demo_stream, languages_stream

pytestmark = pytest.mark.processes

_NEEDS = [
    (["serve", "--demo"], "'ustory[serve]'"),
    (["keys", "list", "--database", "archive.db"], "'ustory[serve]'"),
    (["db", "check", "--database", "archive.db"], "'ustory[serve]'"),
    (["doctor", "archive.db"], "'ustory[serve]'"),
    (["bench"], "ustory-bench"),
    (["describe", "news.jsonl"], "ustory-bench"),
    (["load", "news.jsonl"], "ustory-bench"),
    (["simulate"], "ustory-bench"),
    (["discover", "news.parquet"], "'ustory[parquet]'"),
    (["discover", "news.warc.gz"], "'ustory[warc]'"),
    (["discover", "kafka://localhost/news"], "'ustory[kafka]'"),
    (["discover", "news.jsonl", "--executor", "ray"], "'ustory[ray]'"),
    (["discover", "news.jsonl", "--encoder", "minilm"], "ustory encoders install"),
    (["discover", "news.jsonl", "--encoder", "multilingual"], "'ustory[multilingual]'"),
]


def _build(folder: Path, into: Path) -> Path:
    command: list[str | Path] = [sys.executable, "-m", "hatchling", "build"]
    command += ["-t", "wheel", "-d", into]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    (wheel,) = into.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    pytest.importorskip("hatchling", reason="hatchling builds wheels: make setup")
    made = tmp_path_factory.mktemp("wheels")
    return _build(ROOT, made / "ustory"), _build(ROOT / "bench", made / "bench")


@pytest.fixture(scope="module")
def alone(wheels: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the command `ustory` in an environment without any extra."""
    uv, folder = Path(sys.executable).parent / "uv", tmp_path_factory.mktemp("alone")
    if not uv.exists():
        pytest.skip("uv makes the environment: make setup")
    subprocess.run([uv, "venv", "-q", folder, "--python", sys.executable], check=True)
    install: list[str | Path] = [
        *(uv, "pip", "install", "-q", "--python", folder / "bin" / "python"),
        *("-c", ROOT / "constraints" / "base.txt", wheels[0]),
    ]
    tries = [[*install, "--offline"], install]
    if all(subprocess.run(each, capture_output=True).returncode for each in tries):
        pytest.skip("neither uv's cache nor a package index has what ustory needs")
    for name in ("news.jsonl", "news.parquet", "news.warc.gz"):
        (folder / name).touch()
    return folder / "bin" / "ustory"


def _run(command: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [command, *arguments],
        cwd=command.parents[1],
        capture_output=True,
        text=True,
        check=False,
    )


def test_each_wheel_holds_its_own_package_alone(wheels: tuple[Path, Path]) -> None:
    for wheel, package in zip(wheels, ("ustory", "ustory_bench"), strict=True):
        with zipfile.ZipFile(wheel) as opened:
            tops = {name.partition("/")[0] for name in opened.namelist()}
        assert {top for top in tops if not top.endswith(".dist-info")} == {package}


def test_the_first_wheel_holds_both_demo_streams(wheels: tuple[Path, Path]) -> None:
    with zipfile.ZipFile(wheels[0]) as opened:
        for stream in (demo_stream(), languages_stream()):
            inside = f"ustory/sources/demo/{stream.name}"
            assert opened.read(inside) == stream.read_bytes()
            assert opened.getinfo(inside).compress_size < 100_000


def test_the_first_wheel_alone_runs_the_demo_and_compiles_once(alone: Path) -> None:
    first, second = _run(alone, "demo"), _run(alone, "demo")

    assert first.returncode == second.returncode == 0, first.stderr
    assert "What to do next" in first.stdout
    assert first.stderr.count("compiling for this machine") == 1
    assert second.stderr == ""


def test_the_demo_of_languages_runs_alone_and_says_what_links_them(
    alone: Path,
) -> None:
    done = _run(alone, "demo", "--languages")

    assert done.returncode == 0, done.stderr
    assert "89 labelled articles, 24 true stories" in done.stdout
    assert "pip install 'ustory[multilingual]'" in done.stdout


@pytest.mark.parametrize(("arguments", "wanted"), _NEEDS, ids=lambda value: str(value))
def test_what_is_not_installed_is_named(
    alone: Path, arguments: list[str], wanted: str
) -> None:
    done = _run(alone, *arguments)

    assert done.returncode == 1
    assert wanted in done.stderr
    assert "Traceback" not in done.stderr
