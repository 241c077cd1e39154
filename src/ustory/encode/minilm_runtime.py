"""What runs the ONNX file of all-MiniLM-L6-v2 on a CPU: OpenVINO or onnxruntime."""

from __future__ import annotations

import os
import threading
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ustory.core.arrays import Matrix
from ustory.encode.installed import MissingModelError

Tokens = NDArray[np.int64]


class Runtime(Protocol):
    """Runs the model; several threads may ask at the same time, each on one core."""

    name: str
    by_shape: bool
    """The last bit of a row depends on the shape of its batch."""

    def states(self, ids: Tokens, mask: Tokens) -> Matrix:
        """Return the last hidden states: (sentences, tokens, dim)."""
        ...


class OnnxRuntime:
    """onnxruntime, in float32."""

    name = "onnxruntime"
    by_shape = False

    def __init__(self, model: Path) -> None:
        runtime = import_module("onnxruntime")
        options = runtime.SessionOptions()
        # whole batches side by side: threads inside one wait for each other
        options.intra_op_num_threads = 1
        options.log_severity_level = 3  # errors only: it warns about graph fusion
        self._session = runtime.InferenceSession(
            str(model), options, providers=["CPUExecutionProvider"]
        )

    def states(self, ids: Tokens, mask: Tokens) -> Matrix:
        """Return the last hidden states: (sentences, tokens, dim)."""
        states: Matrix = self._session.run(["last_hidden_state"], _feed(ids, mask))[0]
        return states


class OpenVino:
    """OpenVINO in the precision it chooses: bfloat16 where the CPU has it.

    Its kernels are chosen by the shape of a batch, so shapes are what may change
    the last bit of a row; its neighbours and its place among them do not.
    """

    name = "openvino"
    by_shape = True

    def __init__(self, model: Path) -> None:
        cores = os.cpu_count() or 1
        self._model = _core().compile_model(
            str(model),
            "CPU",
            {
                # as many batches at a time as there are cores, a thread for each
                "NUM_STREAMS": cores,
                "INFERENCE_NUM_THREADS": cores,
                # processes that pin their threads all take the first cores
                "ENABLE_CPU_PINNING": False,
                # activations stay as they are: only weights are in int8
                "DYNAMIC_QUANTIZATION_GROUP_SIZE": 0,
            },
        )
        self._own = threading.local()

    def states(self, ids: Tokens, mask: Tokens) -> Matrix:
        """Return the last hidden states: (sentences, tokens, dim)."""
        if not hasattr(self._own, "request"):
            self._own.request = self._model.create_infer_request()
        found = self._own.request.infer(_feed(ids, mask), share_inputs=True)
        states: Matrix = found["last_hidden_state"]
        return states


def open_runtime(model: Path) -> Runtime:
    """Open the model with the runtime that is faster here, of those installed.

    That is OpenVINO where the CPU computes in bfloat16, and onnxruntime elsewhere.
    Both are heavy and optional, so imported only now.
    """
    there = [kind for kind in (OnnxRuntime, OpenVino) if find_spec(kind.name)]
    if not there:
        raise MissingModelError("onnxruntime", "minilm")
    if len(there) == 1:
        return there[0](model)
    return OpenVino(model) if _has_bfloat16() else OnnxRuntime(model)


def _has_bfloat16() -> bool:
    return "BF16" in _core().get_property("CPU", "OPTIMIZATION_CAPABILITIES")


def _core() -> Any:  # noqa: ANN401 - an optional package
    return import_module("openvino").Core()


def _feed(ids: Tokens, mask: Tokens) -> dict[str, Tokens]:
    return {
        "input_ids": ids,
        "attention_mask": mask,
        "token_type_ids": np.zeros_like(ids),
    }
