from __future__ import annotations

import signal

import pytest

from ustory.cli.interrupts import InterruptedRunError, Interrupts


def test_a_signal_strikes_at_once_outside_a_held_block() -> None:
    with Interrupts(), pytest.raises(InterruptedRunError) as caught:
        signal.raise_signal(signal.SIGTERM)

    assert caught.value.signal_number == signal.SIGTERM


def test_a_signal_waits_for_the_end_of_a_held_block() -> None:
    done = []

    def work(interrupts: Interrupts) -> None:
        with interrupts.held():
            signal.raise_signal(signal.SIGINT)
            done.append("the rest")
        done.append("too much")

    with Interrupts() as interrupts, pytest.raises(InterruptedRunError):
        work(interrupts)

    assert done == ["the rest"]


def test_nothing_is_heard_while_saving_for_the_last_time() -> None:
    with Interrupts() as interrupts:
        interrupts.ignore()
        signal.raise_signal(signal.SIGINT)


def test_the_old_handlers_come_back() -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    with Interrupts():
        pass

    assert before == (
        signal.getsignal(signal.SIGINT),
        signal.getsignal(signal.SIGTERM),
    )
