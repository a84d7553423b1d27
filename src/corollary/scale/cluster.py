"""Where a pool is computed: a Dask cluster on this machine, made when needed, or one that is there."""

from __future__ import annotations

import logging
import os
import pickle
import warnings
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any, NamedTuple, TypeVar

from ..learning.argument_checks import check_whole, shown
from ..logic.engines.rows import cores
from ..logic.errors import CorollaryError
from .table.parts import Part

Result = TypeVar("Result")
#: Takes how many items are done, and of how many.
Progress = Callable[[int, int], None]
#: The variable of the environment with the address of a cluster.
ADDRESS = "COROLLARY_CLUSTER"
#: Python's switch for importing nothing from the working folder, which may be a folder of somebody's data.
SAFE_PATH = "PYTHONSAFEPATH"
#: A task is given up after this number of workers died of it.
DEATHS = 5


class Done(NamedTuple):
    """What came of a part, and what there was to warn of: warnings do not travel between processes by themselves."""

    result: Any
    warned: list[tuple[type[Warning], str]]


class Cluster:
    """Workers for the parts of a pool: `where` is the address of a cluster, a client of one, or None for our own.

    An address in the environment, COROLLARY_CLUSTER, serves in place of our own. Our own has as many `workers` as there
    are cores, with `memory` each. What a worker that dies was at, or had, is computed again.
    """

    def __init__(self, where: Any = None, *, workers: int | None = None, memory: str = "4GB"):
        self._where = where or os.environ.get(ADDRESS)
        self._memory = memory
        self._workers = cores() if workers is None else check_whole("workers", workers, least=1)
        self._client: Any = None
        self._ours = ExitStack()

    @property
    def client(self) -> Any:
        """The client of the cluster, which is made, or found, when first asked for."""
        if self._client is None:
            try:
                self._client = self._connected()
            except (OSError, TimeoutError) as error:
                raise CorollaryError(f"no Dask cluster answers at {self._where}: {error}") from None
        return self._client

    def _connected(self) -> Any:
        try:
            import distributed
        except ModuleNotFoundError as error:
            raise CorollaryError(
                "a pool is computed on Dask: pip install 'corollary[dask]'"
            ) from error
        if isinstance(self._where, distributed.Client):
            return self._where
        if self._where is not None and not isinstance(self._where, str):
            raise CorollaryError(
                f"cluster must be an address such as tcp://host:8786, or a client; got {shown(self._where)}"
            )
        if self._where is not None:
            return self._ours.enter_context(distributed.Client(self._where, set_as_default=False))
        import dask

        threads = max(1, cores() // self._workers)
        settings: dict[str, Any] = {
            "distributed.scheduler.allowed-failures": DEATHS,
            "distributed.scheduler.http.routes": [],  # no pages: they ask nobody for a password
            "distributed.worker.http.routes": [],
            f"distributed.nanny.pre-spawn-environ.{SAFE_PATH}": "1",
        }
        self._ours.callback(put_back, SAFE_PATH, os.environ.get(SAFE_PATH))
        self._ours.enter_context(dask.config.set(settings))
        cluster = self._ours.enter_context(
            distributed.LocalCluster(
                n_workers=self._workers,
                threads_per_worker=1,  # the kernels have threads of their own
                memory_limit=self._memory,
                security=credentials(),
                dashboard_address="127.0.0.1:0",
                scheduler_kwargs={"dashboard": False},
                silence_logs=logging.ERROR,
                env={"COROLLARY_THREADS": str(threads)},
            )
        )
        return self._ours.enter_context(distributed.Client(cluster, set_as_default=False))

    def over(
        self,
        parts: Sequence[Part],
        function: Callable[..., Result],
        work: Any,
        *arguments: Any,
        take: Callable[[Part, Result], None],
        each: Callable[[Part], Sequence[Any]] = lambda _: (),
        progress: Progress | None = None,
        before: int = 0,
    ) -> None:
        """Compute `function(work, part, *arguments)` for each part, and pass each result to `take`.

        `each` gives further arguments of a part. `before` is the number of items of parts that were
        done earlier.
        """
        import cloudpickle
        from distributed import as_completed

        total = before + sum(part.rows for part in parts)
        done = before
        said = set[tuple[type[Warning], str]]()
        tell = progress or (lambda *_: None)
        tell(done, total)
        # What all need is a task of its own, and not scattered: whoever loses it gets it again.
        sent = self.client.submit(pickle.loads, cloudpickle.dumps(work), pure=False)
        waiting = {
            self.client.submit(run, function, sent, part, *arguments, *each(part), pure=False): part
            for part in parts
        }
        try:
            for future in as_completed(list(waiting), loop=self.client.loop):
                found: Done = future.result()
                part = waiting.pop(future)
                for kind, message in set(found.warned) - said:
                    warnings.warn(message, kind, stacklevel=4)
                said.update(found.warned)
                take(part, found.result)
                done += part.rows
                tell(done, total)
        finally:
            self.client.cancel(list(waiting))

    def close(self) -> None:
        """Let go of the workers, if they are ours."""
        self._ours.close()
        self._client = None


def credentials() -> Any:
    """New certificates: a worker runs what it is sent, so only this process may send; other users share the network."""
    from distributed.security import Security

    try:
        return Security.temporary()
    except ImportError as error:
        raise CorollaryError(
            "workers of our own need cryptography: pip install 'corollary[dask]'"
        ) from error


def put_back(name: str, value: str | None) -> None:
    """Give a variable of the environment the value that it had."""
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value


def run(function: Callable[..., Any], work: Any, part: Part, *arguments: Any) -> Done:
    """What a worker does with a part."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = function(work, part, *arguments)
    return Done(result, [(one.category, str(one.message)) for one in caught])
