"""A forked Python is as one that was started: what it reads, writes, finds around it, and how it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from .forked import Forked, start

pytestmark = pytest.mark.slow

TELLS = """
import os, sys
print(sys.argv, os.environ.get("TOLD"), os.getcwd(), sys.stdin.readline().strip(), os.environ.get("HOME"), sep="|")
sys.exit(3)
"""


@pytest.fixture(
    params=[Forked, lambda command, **more: subprocess.Popen([sys.executable, *command], **more)]
)
def run(request):
    return request.param


def test_it_has_its_arguments_streams_environment_and_folder(run, tmp_path, monkeypatch):
    script = tmp_path / "tells.py"
    script.write_text(TELLS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for command, name in (([script, "a", "b"], str(script)), (["-c", TELLS, "a", "b"], "-c")):
        process = run(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={"TOLD": "yes", "PATH": os.environ["PATH"]},
        )
        with process.stdin, process.stdout:
            process.stdin.write("a line\n")
            process.stdin.flush()
            assert process.stdout.read() == f"{[name, 'a', 'b']}|yes|{tmp_path}|a line|None\n"
        assert process.wait(30) == process.poll() == process.returncode == 3


def test_an_error_is_told_and_a_signal_ends_it(run):
    process = run(["-c", "1 / 0"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    with process.stderr:
        assert process.stderr.read().endswith(b"ZeroDivisionError: division by zero\n")
    assert process.wait(30) == 1
    process = run(
        ["-c", "import time; print(1, flush=True); time.sleep(60)"], stdout=subprocess.PIPE
    )
    with process.stdout:
        assert process.stdout.readline() == b"1\n"
        assert process.poll() is None
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.01)
        process.kill()
        assert process.wait(30) == -signal.SIGKILL


def test_to_kill_what_has_ended_is_no_error_before_that_is_told(monkeypatch):
    process = Forked(["-c", ""], stdout=subprocess.DEVNULL)
    assert process.wait(30) == 0
    monkeypatch.setattr(process, "poll", lambda: None)
    process.kill()


def test_what_libraries_read_when_they_are_imported_is_heeded():
    program = "import sys; print('corollary.web.server' in sys.modules, sys.modules['numba'].config.NUMBA_NUM_THREADS)"
    for threads in ("1", "2"):
        env = {**os.environ, "NUMBA_NUM_THREADS": threads}
        process = start(["-c", program], stdout=subprocess.PIPE, text=True, env=env)
        with process.stdout:
            assert process.stdout.read() == f"True {threads}\n"
        assert process.wait(30) == 0
