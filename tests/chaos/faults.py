"""What goes wrong in a round: each is a function of the scene that begins it and returns what ends it."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from corollary.campaign.campaign import Campaign
from corollary.campaign.items import Item
from corollary.campaign.storage.records import StoreError

if TYPE_CHECKING:
    from .scene import Scene

End = Callable[[], None]
Fault = Callable[["Scene", Random], End]


def nothing(_: Scene, __: Random) -> End:
    return lambda: None


# The service and its trainer


def kill(scene: Scene, _: Random) -> End:
    scene.kill()
    return scene.start


def stop_for_a_while(scene: Scene, _: Random) -> End:
    os.kill(scene.pid, signal.SIGSTOP)
    return lambda: os.kill(scene.pid, signal.SIGCONT)


def _to_trainer(scene: Scene, what: int) -> int | None:
    pid = scene.order("trainer")
    if pid is not None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, what)
    return pid


def kill_trainer(scene: Scene, _: Random) -> End:
    _to_trainer(scene, signal.SIGKILL)
    return lambda: None


def stop_trainer(scene: Scene, _: Random) -> End:
    pid = _to_trainer(scene, signal.SIGSTOP)

    def go_on() -> None:
        if pid is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)

    return go_on


def clock(scene: Scene, dice: Random) -> End:
    scene.order(f"clock {dice.choice((-86400.0, -600.0, 600.0, 86400.0))}")
    return lambda: scene.order("clock 0")


def second_server(scene: Scene, _: Random) -> End:
    """Another one on the same database is refused, unless a cut has cost ours its lock; either way it does no harm."""
    try:
        Campaign.open(scene.direct).close()
    except StoreError:
        return lambda: None
    assert scene.kind == "postgresql", "two processes had one campaign open for writing"
    return lambda: None


# SQLite's disk


def _disk(how: str) -> Fault:
    def fail(scene: Scene, _: Random) -> End:
        scene.order(f"disk {how}")
        return lambda: scene.order("disk fine")

    fail.__name__ = f"disk_{how}"
    return fail


def quota(scene: Scene, _: Random) -> End:
    """No file of the service may grow: what the system does when a quota is used up."""
    sizes = [
        path.stat().st_size
        for path in Path(scene.direct).parent.glob(Path(scene.direct).name + "*")
    ]
    unlimited = resource.prlimit(scene.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(scene.pid, resource.RLIMIT_FSIZE, (max(4096, min(sizes)), unlimited[1]))
    return lambda: resource.prlimit(scene.pid, resource.RLIMIT_FSIZE, unlimited) and None


def full_file_system(scene: Scene, _: Random) -> End:
    """The disk's last byte is taken; only where the campaign has a small file system of its own."""
    if scene.small_disk is None:
        return nothing(scene, _)
    ballast = scene.small_disk / "ballast"
    with contextlib.suppress(OSError), ballast.open("wb") as out:
        while True:
            out.write(b"\0" * 65536)
            out.flush()
    return lambda: ballast.unlink(missing_ok=True)


# The way to PostgreSQL


def cut(scene: Scene, dice: Random) -> End:
    for _ in range(dice.randint(1, 4)):
        scene.proxy.cut()
        time.sleep(dice.uniform(0, 0.1))
    return lambda: None


def refuse(scene: Scene, _: Random) -> End:
    scene.proxy.set("refuse")
    return scene.proxy.heal


def silent(scene: Scene, _: Random) -> End:
    scene.proxy.set("silent")
    return scene.proxy.heal


def slow(scene: Scene, dice: Random) -> End:
    scene.proxy.set("slow", dice.uniform(0.01, 0.1))
    return scene.proxy.heal


def cut_after_commit(scene: Scene, _: Random) -> End:
    scene.proxy.set("commit")
    return scene.proxy.heal


def restart_database(scene: Scene, dice: Random) -> End:
    scene.database.stop(dice.choice(("fast", "immediate")))
    return scene.database.start


def other_server_takes_over(scene: Scene, _: Random) -> End:
    """Ours loses its connection; another writes items, answers and people, and leaves."""
    scene.proxy.set("refuse")
    deadline = time.monotonic() + 10
    while True:
        try:
            other = Campaign.open(scene.direct)
            break
        except StoreError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
    with other:
        number = len(other.state.ids)
        other.add("lead", [Item(f"i{number}", text=f"thing {number} of the other server")])
        key = f"other-{number}"
        reply = other.answer("lead", f"i{number}", "Bird", True, key=key)
        scene.others[key] = reply.seq
        other.invite(f"guest {number}")
    return scene.proxy.heal


EVERYWHERE: tuple[Fault, ...] = (
    nothing,
    kill,
    stop_for_a_while,
    kill_trainer,
    stop_trainer,
    clock,
    second_server,
)
SQLITE: tuple[Fault, ...] = (
    *EVERYWHERE,
    _disk("full"),
    _disk("ioerr"),
    _disk("readonly"),
    _disk("unheard"),
    quota,
    full_file_system,
)
POSTGRESQL: tuple[Fault, ...] = (
    *EVERYWHERE,
    cut,
    refuse,
    silent,
    slow,
    cut_after_commit,
    restart_database,
    other_server_takes_over,
)
