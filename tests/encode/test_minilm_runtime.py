from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from ustory.core.errors import MissingExtraError
from ustory.encode import minilm as module
from ustory.encode.installed import verified
from ustory.encode.minilm import MODEL, OnnxRuntime, OpenVino, open_runtime

Installed = Callable[..., None]


class _Fake:
    def __init__(self, model: Path) -> None:
        self.model = model


class _FakeOnnxRuntime(_Fake):
    name = "onnxruntime"


class _FakeOpenVino(_Fake):
    name = "openvino"


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Installed:
    """Pretend that these packages are installed, on such a CPU."""

    def pretend(*packages: str, bfloat16: bool = False) -> None:
        monkeypatch.setattr(module, "OnnxRuntime", _FakeOnnxRuntime)
        monkeypatch.setattr(module, "OpenVino", _FakeOpenVino)
        monkeypatch.setattr(module, "find_spec", lambda name: name in packages or None)
        monkeypatch.setattr(module, "_has_bfloat16", lambda: bfloat16)

    return pretend


def _chosen() -> str:
    return open_runtime(Path("model.onnx")).name


def test_openvino_is_used_where_the_cpu_has_bfloat16(installed: Installed) -> None:
    installed("onnxruntime", "openvino", bfloat16=True)

    assert _chosen() == "openvino"


def test_onnxruntime_is_used_on_other_cpus(installed: Installed) -> None:
    installed("onnxruntime", "openvino", bfloat16=False)

    assert _chosen() == "onnxruntime"


@pytest.mark.parametrize("only", ["onnxruntime", "openvino"])
@pytest.mark.parametrize("bfloat16", [False, True])
def test_one_that_is_there_alone_is_used(
    only: str, bfloat16: bool, installed: Installed
) -> None:
    installed(only, bfloat16=bfloat16)

    assert _chosen() == only


def test_with_neither_the_exact_command_is_named(installed: Installed) -> None:
    installed()

    with pytest.raises(
        MissingExtraError, match=r"with: ustory encoders install minilm$"
    ):
        open_runtime(Path("model.onnx"))


def test_both_runtimes_say_the_same() -> None:
    pytest.importorskip("onnxruntime")
    pytest.importorskip("openvino")
    try:
        model = verified(MODEL, "minilm")
    except MissingExtraError as error:
        pytest.skip(str(error))
    ids = np.random.default_rng(0).integers(1000, 20_000, (3, 24))
    mask = np.ones_like(ids)
    mask[1, 9:] = 0

    plain, other = (
        kind(model).states(ids, mask)[mask == 1] for kind in (OnnxRuntime, OpenVino)
    )

    lengths = np.linalg.norm(plain, axis=1) * np.linalg.norm(other, axis=1)
    # 0.999 in float32; bfloat16 has eight bits for each number
    assert ((plain * other).sum(axis=1) / lengths).min() > 0.99
