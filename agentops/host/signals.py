"""Signals as facts: counted and able to wake a sleeping loop, never an exception out of nowhere."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

_Handler = Callable[[int, FrameType | None], Any] | int | signal.Handlers | None


class Signals:
    """While entered, SIGINT, SIGTERM and SIGHUP are remembered in `received` instead of ending the process.

    `fd` becomes readable when one arrives; `drain` empties it. `hangup=False` (for `--detach`) makes SIGHUP a no-op; it
    is also left alone when the parent ignores it already (`nohup`). Enter it in the main thread only.
    A Python handler, never SIG_IGN, stands in for the ignored ones: children would inherit SIG_IGN through exec.
    """

    def __init__(self, *, hangup: bool = True) -> None:
        self.received: list[signal.Signals] = []
        self.fd = -1
        self._write = -1
        self._hangup = hangup
        self._before: dict[signal.Signals, _Handler] = {}
        self._before_fd = -1

    @property
    def count(self) -> int:
        return len(self.received)

    def __enter__(self) -> Signals:
        self.fd, self._write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._before_fd = signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)
        for one in (signal.SIGINT, signal.SIGTERM):
            self._before[one] = signal.signal(one, self._note)
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
            self._before[signal.SIGHUP] = signal.signal(signal.SIGHUP, self._note if self._hangup else _nothing)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for one, handler in self._before.items():
            signal.signal(one, handler if handler is not None else signal.SIG_DFL)
        self._before.clear()
        signal.set_wakeup_fd(self._before_fd)
        for fd in (self.fd, self._write):
            os.close(fd)
        self.fd = self._write = -1

    def drain(self) -> None:
        """Make `fd` quiet again; what arrived stays in `received`."""
        if self.fd < 0:
            return
        try:
            while os.read(self.fd, 512):
                pass
        except BlockingIOError:
            return

    def _note(self, number: int, _frame: FrameType | None) -> None:
        self.received.append(signal.Signals(number))


def _nothing(_number: int, _frame: FrameType | None) -> None:
    return None
