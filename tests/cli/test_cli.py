"""The group of commands: help, errors, and the installed entry point."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from importlib import import_module
from keyword import iskeyword
from pathlib import Path

import click
import pytest

import corollary
from corollary.cli import COMMANDS, FOLDERS, GROUPS, in_shell_words

SCRIPT = Path(sysconfig.get_path("scripts")) / "corollary"


def test_help_names_every_command(call):
    result = call("--help")
    assert result.exit_code == 0
    lines = result.stdout.partition("Label:\n")[2].splitlines()
    listed = [line for line in lines if line.startswith("  ") and not line.startswith("  Start")]
    assert [line.split()[0] for line in listed] == list(COMMANDS)
    assert all(
        line.endswith(".") and not line.endswith("...") for line in listed
    )  # every summary fits its line
    assert [line[:-1] for line in lines if line.endswith(":")] == list(GROUPS)[1:]
    assert "Start with `corollary demo`" in result.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_is_in_its_own_file_and_helps(call, name):
    module = f"{name}_" if iskeyword(name) else name
    folder = next(FOLDERS[heading] for heading, names in GROUPS.items() if name in names)
    command = import_module(f"corollary.cli.{folder}.{module}").command
    assert isinstance(command, click.Command)
    assert command.name == name
    result = call(name, "--help")
    assert result.exit_code == 0
    assert result.stdout.startswith(f"Usage: main {name}")


def test_version(call):
    assert call("--version").stdout == f"corollary, version {corollary.__version__}\n"


def test_unknown_command_is_refused(call):
    result = call("lnt")
    assert result.exit_code == 2
    assert "there is no command 'lnt'; did you mean 'lint'?" in result.stderr
    assert call("--lnt").exit_code == 2


def test_a_missing_extra_is_named(zoo):
    program = "import sys; sys.modules['sqlalchemy'] = None; "
    program += "from corollary.cli import main; main(['status', sys.argv[1]])"
    done = subprocess.run(
        [sys.executable, "-c", program, str(zoo)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert (
        done.stderr
        == "Error: campaigns need the package sqlalchemy: pip install 'corollary[serve]'\n"
    )


def test_help_needs_no_arrays():
    program = "import sys\nfrom corollary.cli import main\nmain(['--help'], standalone_mode=False)\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert not set(done.stdout.split()) & {
        "numpy",
        "numba",
        "scipy",
        "rich",
        "lark",
        "rdflib",
        "corollary.logic.ontology",
    }


def test_installed_entry_point_answers_and_exits(zoo):
    done = subprocess.run([SCRIPT, "lint", zoo], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "nothing to report" in done.stdout


def test_installed_entry_point_refuses_without_a_traceback(tmp_path):
    bad = tmp_path / "bad.onto"
    bad.write_text("animal > > bird\n", encoding="utf-8")
    done = subprocess.run([SCRIPT, "lint", bad], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Error: ")
    assert "line 1, column 10" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_terminal_without_the_signs_still_works(zoo):
    environment = {"PYTHONIOENCODING": "latin-1", "PATH": str(SCRIPT.parent)}
    done = subprocess.run(
        [SCRIPT, "explain", zoo, "--given", "bird=yes"],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert done.returncode == 0
    assert done.stdout.startswith("? animal")


@pytest.mark.parametrize(
    ("message", "command", "expected"),
    [
        ("pass lossy=True to leave out", "convert", "pass --lossy to leave out"),
        ("or pass format=", "lint", "or pass --format"),
        ("or pass format=", "convert", "or pass --from or --to"),
        ("or pass format=", "new", "or pass --ontology-format"),
        (
            "for its SKOS concepts pass format='skos'",
            "explain",
            "for its SKOS concepts pass --format skos",
        ),
        ("nothing to pass on", "lint", "nothing to pass on"),
        ("split it, or pass limit=1073741824 if", "new", "split it, or pass --limit 1073741824 if"),
        ("or pass only_labels=True to take", "import", "or pass --only-labels to take"),
        ("or pass id=':row' to number", "new", "or pass --id :row to number"),
    ],
)
def test_advice_is_given_in_options(message, command, expected):
    assert in_shell_words(message, command=command) == expected
