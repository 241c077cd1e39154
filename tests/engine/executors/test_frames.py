"""Messages over a pipe arrive whole or not at all."""

from __future__ import annotations

import os
import sys
from io import BufferedReader
from pathlib import Path
from threading import Thread

import pytest

from ustory.core.errors import WorkerError
from ustory.engine.executors.pipe_messages import (
    TO_DRIVER,
    TO_WORKER,
    Signer,
    read_frame,
    widen,
    write_frame,
)

SECRET = b"k" * 32
CONTENT = bytes(range(256)) * 1_200
"""More than a pipe holds."""


def arrived(sent: bytes, step: int, key: bytes = SECRET) -> bytes | None:
    """Return the message in some bytes that are sent a few at a time."""
    reading, writing = os.pipe()

    def send() -> None:
        with os.fdopen(writing, "wb", buffering=0) as out:
            for start in range(0, len(sent), step):
                out.write(sent[start : start + step])

    sender = Thread(target=send)
    sender.start()
    with os.fdopen(reading, "rb") as pipe:
        assert isinstance(pipe, BufferedReader)
        found = read_frame(pipe, Signer(key, TO_WORKER))
    sender.join()
    # arrays in it can be written to, as compiled loops want
    assert found is None or not found.readonly
    return None if found is None else found.tobytes()


def framed(*content: bytes | memoryview) -> bytes:
    """Return a message as it is sent."""
    reading, writing = os.pipe()
    parts: list[bytes] = []
    with os.fdopen(reading, "rb") as pipe:
        reader = Thread(target=lambda: parts.append(pipe.read()))
        reader.start()
        with os.fdopen(writing, "wb") as out:
            write_frame(out, Signer(SECRET, TO_WORKER), *content)
        reader.join()
    return parts[0]


@pytest.mark.parametrize("step", [3, 7_001, 1_000_000])
def test_a_message_arrives_whole_however_it_is_cut(step: int) -> None:
    content = CONTENT if step > 3 else CONTENT[:1_000]

    assert arrived(framed(content), step) == content


def test_pieces_are_one_message() -> None:
    pieces = (b"one", memoryview(b"two"), b"", CONTENT)

    assert arrived(framed(*pieces), 50_000) == b"onetwo" + CONTENT


def test_an_empty_message_is_a_message() -> None:
    assert arrived(framed(), 1) == b""


@pytest.mark.parametrize("length", [0, 1, 7, 8, 9, 100_000])
def test_a_message_whose_sender_ended_is_none(length: int) -> None:
    assert arrived(framed(CONTENT)[:length], 7_001) is None


@pytest.mark.parametrize("place", [0, 7, 8, 39, 40, 45, -1, -32])
def test_a_changed_message_is_refused(place: int) -> None:
    sent = bytearray(framed(b"some content"))
    sent[place] ^= 1

    with pytest.raises(WorkerError, match="not sent by either"):
        arrived(bytes(sent), 1_000)


def test_a_message_of_another_key_is_refused() -> None:
    with pytest.raises(WorkerError, match="not sent by either"):
        arrived(framed(b"some content"), 1_000, key=b"x" * 32)


def test_a_huge_length_takes_no_memory() -> None:
    with pytest.raises(WorkerError, match="not sent by either"):
        arrived(b"\xff" * 8 + framed(b"")[8:], 1_000)


def test_a_message_that_is_sent_again_or_back_is_refused(tmp_path: Path) -> None:
    sent = framed(b"once")
    (tmp_path / "sent").write_bytes(sent + sent)
    signer = Signer(SECRET, TO_WORKER)
    with (tmp_path / "sent").open("rb") as pipe:
        first = read_frame(pipe, signer)
        assert first is not None
        assert first.tobytes() == b"once"
        with pytest.raises(WorkerError):
            read_frame(pipe, signer)

    with (tmp_path / "sent").open("rb") as pipe, pytest.raises(WorkerError):
        read_frame(pipe, Signer(SECRET, TO_DRIVER))


@pytest.mark.skipif(sys.platform != "linux", reason="other systems fix what pipes hold")
def test_a_widened_pipe_holds_a_block_nobody_reads() -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb"), os.fdopen(writing, "wb", buffering=0) as out:
        widen(out)
        os.set_blocking(writing, False)

        assert out.write(CONTENT) == len(CONTENT)
