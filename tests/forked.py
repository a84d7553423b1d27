"""Python processes that start at once: forked from one that has imported what servers and trainings need.

Importing that takes seconds, and the tests start hundreds of such processes. `start` is to tests what subprocess.Popen
is. How the real thing starts is tried where that is the subject: tests/campaign/training, tests/cli, tests/chaos.

As a script: python forked.py SOCKET, where to wait for orders; it ends with its standard input.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from threading import Lock

#: What is imported before anything is forked; nothing of it is called, so that no thread of ours is running then.
IMPORTS = (
    "corollary.web.server",
    "corollary.campaign.campaign",
    "corollary.campaign.training.training_process",
    "corollary.learning.choosing.question_queue_kernels",  # the kernels are imported when they are needed
    "corollary.logic.compiled.choices",
    "corollary.logic.compiled.implication_kernels",
    "corollary.logic.engines.kernels.tree",
)
#: Libraries read these when they are imported, and Python when it starts.
READ_ONCE = ("OPENBLAS", "OMP_", "MKL_", "NUMBA_", "PYTHONHASHSEED")


def start(command, **options):
    """Start `python SCRIPT ARGUMENTS` or `python -c PROGRAM`; `options` as those of subprocess.Popen."""
    if not hasattr(os, "fork"):
        return subprocess.Popen([sys.executable, *command], **options)
    return Forked(command, **options)


def start_training():
    """As a campaign starts the process that its models are trained in."""
    path = import_module("corollary.campaign.training.training_process").import_path()
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(path)}
    program = "from corollary.campaign.training.training_process import serve; serve()"
    return start(["-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env)


class Forked:
    """What tests and trainings use of a subprocess.Popen, on a process that is forked."""

    def __init__(self, command, *, stdin=None, stdout=None, stderr=None, text=False, env=None):
        env = dict(os.environ if env is None else env)
        ends = [
            _ends(wanted, number, text=text)
            for number, wanted in enumerate((stdin, stdout, stderr))
        ]
        theirs, (self.stdin, self.stdout, self.stderr) = zip(*ends, strict=True)
        order = {"command": [str(word) for word in command], "env": env, "folder": str(Path.cwd())}
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(
                _forker(frozenset(one for one in env.items() if one[0].startswith(READ_ONCE)))
            )
            socket.send_fds(line, [b"\n"], theirs)
            line.sendall(json.dumps(order).encode() + b"\n")
            self._line = line.detach()
        self.pid, self.returncode = self._told(), None
        self._ending = Lock()
        for number in theirs:
            os.close(number)

    def wait(self, timeout=None):
        """Wait until it ends; the exit status."""
        if self.returncode is None and not select.select([self._line], [], [], timeout)[0]:
            raise subprocess.TimeoutExpired("a forked process", timeout)
        with self._ending:
            if self.returncode is None:
                self.returncode = self._told()
        return self.returncode

    def poll(self):
        try:
            return self.wait(0)
        except subprocess.TimeoutExpired:
            return None

    def send_signal(self, number):
        if self.poll() is None:
            with suppress(ProcessLookupError):  # it has just ended, and nobody has told yet
                os.kill(self.pid, number)

    def kill(self):
        self.send_signal(signal.SIGKILL)

    def _told(self):
        return int.from_bytes(os.read(self._line, 4), "big", signed=True)

    def __del__(self):  # not before: others may be waiting too
        os.close(self._line)


def _ends(wanted, number, *, text):
    """The end that the process gets as its standard stream of this number, and ours, where a pipe is wanted."""
    if wanted == subprocess.PIPE:
        reading, writing = os.pipe()
        theirs, ours = (reading, writing) if number == 0 else (writing, reading)
        return theirs, os.fdopen(ours, ("w" if number == 0 else "r") + ("" if text else "b"))
    if wanted is None:
        return os.dup(number), None
    assert wanted == subprocess.DEVNULL
    return os.open(os.devnull, os.O_RDWR), None


@cache
def _forker(read_once):
    """Where the process waits that others are forked from."""
    place = Path(tempfile.mkdtemp(prefix="forker-")) / "socket"
    command = [sys.executable, "-P", __file__, str(place)]
    env = {name: value for name, value in os.environ.items() if not name.startswith(READ_ONCE)}
    env |= {**dict(read_once), "PYTHONPATH": os.pathsep.join(part for part in sys.path if part)}
    forker = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env)
    assert forker.stdout.readline() == b"ready\n"

    @atexit.register
    def end():
        forker.stdin.close()
        forker.stdout.close()
        forker.wait()
        place.unlink()
        place.parent.rmdir()

    return str(place)


def wait_for_orders(place):
    """Fork a process for each order; returns in it, with the order. Returns nothing when there are no more."""
    for name in IMPORTS:
        import_module(name)
    gc.freeze()  # or collecting garbage would copy all of it
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(place)
        door.listen(64)
        os.write(1, b"ready\n")
        signal.signal(
            signal.SIGCHLD, signal.SIG_IGN
        )  # nobody waits for those who wait for the processes
        while door in select.select([0, door], [], [])[0]:
            line, _ = door.accept()
            with line:
                if os.fork() == 0:
                    door.close()
                    return _forked(line)
    return None


def _forked(line):
    """The order that came; in between stands a process that tells when the one with the order ends, and how."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    _, streams, _, _ = socket.recv_fds(line, 1, 3)
    order = json.loads(line.makefile("r").readline())
    if pid := os.fork():
        for number in (0, 1, 2, *streams):
            os.close(number)
        line.sendall(pid.to_bytes(4, "big", signed=True))
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        try:
            line.sendall(status.to_bytes(4, "big", signed=True))
        finally:  # or nobody wants to know
            os._exit(0)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    return order


def obey(order):
    """Be `python COMMAND`."""
    os.environ.clear()
    os.environ.update(order["env"])
    os.chdir(order["folder"])
    sys.path[:0] = [
        part
        for part in order["env"].get("PYTHONPATH", "").split(os.pathsep)
        if part not in sys.path
    ]
    first, *rest = order["command"]
    sys.argv = [first, *rest]
    if first == "-c":
        sys.argv = ["-c", *rest[1:]]
        exec(rest[0], {"__name__": "__main__"})
    else:
        runpy.run_path(first, run_name="__main__")


if __name__ == "__main__":
    order = wait_for_orders(sys.argv[1])
    if order is not None:
        obey(order)
