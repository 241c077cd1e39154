from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version

import pytest
from click.testing import CliRunner

from tests.cli.calls import Ustory
from ustory.cli.main import cli

COMMANDS = ("discover", "evaluate", "explain", "demo", "encoders")


def test_help_lists_every_command_and_each_has_its_own_help() -> None:
    listed = CliRunner().invoke(cli, ["--help"]).stdout

    for name in COMMANDS:
        assert f"  {name} " in listed
        result = CliRunner().invoke(cli, [name, "--help"])
        assert result.exit_code == 0
        assert result.stdout.startswith(f"Usage: cli {name} ")


def test_version_is_that_of_the_package() -> None:
    result = CliRunner().invoke(cli, ["--version"])

    assert result.stdout == f"ustory, version {version('ustory')}\n"


def test_an_unknown_command_is_a_usage_error() -> None:
    result = CliRunner().invoke(cli, ["discus"])

    assert result.exit_code == 2
    assert "No such command 'discus'" in result.stderr


@pytest.mark.parametrize("command", [["--help"], ["evaluate", "--help"]])
def test_light_commands_do_not_wait_for_the_engine(command: list[str]) -> None:
    script = (
        "import sys\n"
        "from ustory.cli.main import cli\n"
        f"try: cli({command!r})\n"
        "except SystemExit: pass\n"
        "assert 'ustory.engine.online' not in sys.modules\n"
    )

    done = subprocess.run([sys.executable, "-c", script], capture_output=True)

    assert done.returncode == 0, done.stderr.decode()


def test_our_errors_are_one_line_and_bugs_stay_tracebacks(
    ustory: Ustory, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = ustory("discover", "nowhere.jsonl")

    assert missing.exit_code == 1
    assert missing.stdout == ""
    assert missing.stderr == (
        "Error: there is no file at nowhere.jsonl; check the path\n"
    )

    def fail(plan: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr("ustory.cli.discover.run_plan", fail)
    assert isinstance(ustory("discover", "nowhere.jsonl").exception, RuntimeError)


def test_ctrl_c_in_any_command_exits_with_130(
    ustory: Ustory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(path: object, article: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("ustory.cli.explain.explain_article", stop)

    result = ustory("explain", "a", "--state", "state")

    assert result.exit_code == 130
    assert result.stderr == "interrupted; nothing was saved\n"


@pytest.mark.parametrize("command", ["serve", "keys", "db", "doctor"])
def test_a_command_without_its_extra_says_how_to_install_it(
    command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(name: str) -> None:
        raise ModuleNotFoundError(f"No module named {name!r}", name="sqlalchemy.orm")

    monkeypatch.setattr("ustory.cli.main.import_module", fail)

    result = CliRunner().invoke(cli, [command, "--help"])

    assert result.exit_code == 1
    assert result.stderr == (
        f"Error: what `ustory {command}` needs is not installed; "
        "install it with: pip install 'ustory[serve]'\n"
    )


@pytest.mark.parametrize("command", ["bench", "describe", "load", "simulate"])
def test_a_command_of_the_laboratory_names_its_package(
    command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ustory.cli.main.registry.names", lambda group: [])

    result = CliRunner().invoke(cli, [command, "--seed", "1"])

    assert result.exit_code == 1
    assert "pip install ustory-bench\n" in result.stderr
