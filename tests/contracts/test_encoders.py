from __future__ import annotations

import pytest

from ustory.core.errors import ConfigError, MissingExtraError
from ustory.core.registry import find, names
from ustory.testing import check_encoder


@pytest.mark.parametrize("name", names("encoders"))
def test_every_registered_encoder_keeps_the_contract(name: str) -> None:
    if name == "sentence-transformers":
        pytest.skip("needs a model; tests/encode/test_transformers.py makes one")
    try:
        encoder = find("encoders", name)()
    except MissingExtraError as error:
        pytest.skip(str(error))
    except ConfigError as error:
        if name != "minilm-cuda":
            raise
        pytest.skip(f"{error}; tests/encode/test_minilm_cuda.py tests it without one")

    check_encoder(encoder)
    assert encoder.name == name
