"""Work that goes on while people answer: one function in a thread, its result or its error kept until asked for."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from typing import Generic, TypeVar

Result = TypeVar("Result")


class Background(Generic[Result]):
    """A function at work in a thread that does not outlive the program."""

    def __init__(self, function: Callable[[], Result]):
        self._function = function
        self._result: Result | None = None
        self._error: BaseException | None = None
        self._thread = Thread(target=self._work, name="corollary-training", daemon=True)
        self._thread.start()

    def _work(self) -> None:
        try:
            self._result = self._function()
        except BaseException as error:  # told to whoever asks for the result
            self._error = error

    @property
    def done(self) -> bool:
        """Whether there is a result, or an error."""
        return not self._thread.is_alive()

    def result(self) -> Result:
        """What the function returned, once it has; its error if it failed."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._result  # type: ignore[return-value]
