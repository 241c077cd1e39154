"""Over TLS the name is checked and sent, although the connection is to an address."""

from __future__ import annotations

import shutil
import ssl
import subprocess
from pathlib import Path

import pytest

from tests.sources.site import HERE, QUICK, Reply, serving
from ustory.sources.http.client import Web
from ustory.sources.http.errors import FetchError

pytestmark = pytest.mark.skipif(
    shutil.which("openssl") is None, reason="no openssl program to make a certificate"
)


def certificate(folder: Path, name: str) -> tuple[Path, Path]:
    """Return a new certificate for `name`, signed by itself, and its key."""
    made, key = folder / "made.pem", folder / "key.pem"
    subject = ["-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}"]
    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    command = ["openssl", "req", "-x509", "-days", "2", *curve, *subject]
    subprocess.run(
        [*command, "-keyout", str(key), "-out", str(made)],
        check=True,
        capture_output=True,
    )
    return made, key


def test_the_name_is_sent_and_the_certificate_must_be_its_own(tmp_path: Path) -> None:
    made, key = certificate(tmp_path, "news.example")
    names: list[str | None] = []
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(made, key)

    def note(socket: ssl.SSLObject, name: str | None, context: ssl.SSLContext) -> None:
        names.append(name)

    server.sni_callback = note
    trusting = ssl.create_default_context(cafile=str(made))
    out = Web(
        allow=HERE,
        limits=QUICK,
        tls=trusting,
        resolver=lambda host, port: ["127.0.0.1"],
    )
    with serving(server) as site:
        site.routes["/a"] = Reply(b"safe")
        assert out.get(f"https://news.example:{site.port}/a").body == b"safe"
        assert names == ["news.example"]
        assert site.asked[0].headers["host"] == f"news.example:{site.port}"
        with pytest.raises(FetchError, match="certificate") as caught:
            out.get(f"https://other.example:{site.port}/a")
        assert caught.value.kind == "connect"
        with pytest.raises(FetchError, match="certificate"):
            Web(allow=HERE, limits=QUICK).get(f"https://127.0.0.1:{site.port}/a")
