"""The examples of a page: found, and run in order as a reader would, in one folder and one Python namespace."""

from __future__ import annotations

import ast
import contextlib
import io
import re
import shlex
import subprocess
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
from click.testing import CliRunner

import corollary as co
from corollary.cli import main

ROOT = Path(__file__).parents[2]
#: Every page with examples.
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))

FENCE = re.compile(
    r"(?:^[ ]*<!-- (?P<note>[^\n]*?) -->\n\s*)?^(?P<indent> *)```(?P<language>[\w-]*)(?P<more>[^\n]*)\n"
    r"(?P<text>.*?)^(?P=indent)```[ ]*$",
    re.M | re.S,
)
NUMBER = re.compile(r"(?:\\-)?\d[\d,]*(?:\\\.\d+)?")
TITLE = re.compile(r'title="([^"]*)"')
#: Commands that wait for people; their options are checked, they are not started.
WAITING = {"serve": "starts a server and waits", "demo": "opens a page and waits"}
#: Programs a page may show that are not ours: they are not run.
OTHERS = (
    "pip",
    "make",
    "python",
    "docker",
    "curl",
    "createdb",
    "psql",
    "cd",
    "mkdir",
    "ssh",
    "mkdocs",
    "git",
    "label-studio",
)
#: Titles of blocks that show what the block before printed: as it is, or with other numbers on another machine.
PRINTS, ABOUT = "prints", "prints, about"
SHELLS = ("console", "bash", "sh", "")


@dataclass(frozen=True)
class Block:
    """A fenced block: `note` is the comment right before it, `title` the name of the file that it shows."""

    language: str
    title: str
    text: str
    line: int
    note: str

    @property
    def not_run(self) -> str:
        """Why it is not run; nothing where it is."""
        return self.note.removeprefix("not run: ") if self.note.startswith("not run: ") else ""

    @property
    def keys(self) -> str:
        """The keys that a person presses."""
        found = re.search(r"keys: ([^;]*)", self.note)
        return found[1].replace(" ", "") if found else ""

    @property
    def varies(self) -> bool:
        """Whether it is run, but prints what nobody can foresee: the note tells why."""
        return "varies: " in self.note


def blocks(text: str) -> list[Block]:
    """All fenced blocks of a page."""
    found = []
    for match in FENCE.finditer(text):
        indent = len(match["indent"])
        body = "".join(
            line[indent:] if line.strip() else "\n"
            for line in match["text"].splitlines(keepends=True)
        )
        title = TITLE.search(match["more"])
        line = text.count("\n", 0, match.start("text")) + 1
        found.append(
            Block(match["language"], title[1] if title else "", body, line, match["note"] or "")
        )
    return found


@dataclass
class Reader:
    """Someone who follows a page from top to bottom, in the present folder."""

    page: str
    names: dict[str, Any] = field(default_factory=lambda: {"__name__": "page"})
    printed: str = ""
    ran: int = 0

    def follow(self, found: Sequence[Block]) -> None:
        """Run every block, write every file that is shown, compare every output that is shown."""
        for block in found:
            self._take(block)

    def _take(self, block: Block) -> None:
        where = f"{self.page}, line {block.line}"
        if block.title in (PRINTS, ABOUT):
            assert_shown(block.text, self.printed, where, about=block.title == ABOUT)
        elif block.language == "python" and not block.not_run:
            self.printed = self.run_python(block, where)
            self.ran += 1
        elif block.language == "console" and not block.not_run:
            for command, shown in sessions(block.text):
                printed = self.run_command(command, block, where)
                if not block.varies:
                    assert_shown(shown, printed, f"{where}: {command}")
        elif block.language in SHELLS:
            for command in commands(block.text):
                check_command(command, where)
        elif block.title:
            Path(block.title).parent.mkdir(parents=True, exist_ok=True)
            Path(block.title).write_text(block.text, encoding="utf-8")

    def run_python(self, block: Block, where: str) -> str:
        """Run statement by statement: a comment that begins with an exception's name tells that it is raised."""
        lines = block.text.splitlines()
        out = io.StringIO()
        if block.keys:  # someone types, a line for each sign
            typed = iter(block.keys)
            self.names["input"] = lambda _="": next(typed)
        for statement in ast.parse(block.text).body:
            module = ast.Module([statement], [])
            ast.increment_lineno(module, block.line - 1)
            code = compile(module, self.page, "exec")
            expected = raised(
                lines[(statement.end_lineno or 1) - block.line] if statement.end_lineno else ""
            )
            with contextlib.redirect_stdout(out), warnings.catch_warnings():
                if expected is None:
                    exec(code, self.names)
                    continue
                if issubclass(expected, Warning):
                    warnings.simplefilter("ignore", expected)
                    exec(code, self.names)
                    continue
                try:
                    exec(code, self.names)
                except expected:
                    continue
            raise AssertionError(
                f"{where}: {expected.__name__} was not raised by: {ast.unparse(statement)}"
            )
        return out.getvalue()

    def run_command(self, command: str, block: Block, where: str) -> str:
        """What a command prints; those that wait for people, and other people's programs, are not run."""
        words = shlex.split(command, comments=True)
        if words[0] != "corollary":
            if words[0] in ("cat", "head", "ls"):
                return subprocess.run(words, capture_output=True, text=True, check=True).stdout
            assert words[0] in OTHERS, f"{where}: what is {words[0]!r}?"
            return ""
        check_command(command, where)
        if words[1] in WAITING and "--terminal" not in words:
            return ""
        result = CliRunner(env={"COLUMNS": "110"}).invoke(main, words[1:], input=block.keys or None)
        fails = block.note.startswith("fails")
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert (result.exit_code != 0) == fails, (
            f"{where}: {command} ended with {result.exit_code}:\n{result.output}"
        )
        self.ran += 1
        return result.output


def raised(line: str) -> type[BaseException] | None:
    """The exception of Corollary that the comment on a line names first."""
    found = re.search(r"#\s*(\w+)", line)
    kind = getattr(co, found[1], None) if found and found[1] in co.__all__ else None
    return kind if isinstance(kind, type) and issubclass(kind, BaseException) else None


def sessions(text: str) -> Iterator[tuple[str, str]]:
    """The commands after each $ of a terminal, and what is shown after each."""
    for part in re.split(r"^\$ ", text.replace("\\\n", " "), flags=re.M)[1:]:
        command, _, shown = part.partition("\n")
        yield command, shown


def commands(text: str) -> Iterator[str]:
    """The lines of a block that call `corollary`."""
    for line in text.replace("\\\n", " ").splitlines():
        line = line.strip().removeprefix("$ ")
        if line.startswith("corollary ") and "..." not in line:
            yield line


def check_command(command: str, where: str) -> None:
    """Refuse a command, or an option of it, that the program does not know; files need not be there."""
    words = shlex.split(command, comments=True)[1:]
    words = words[: next((n for n, word in enumerate(words) if word in ("|", ">")), len(words))]
    at: click.Command = main
    context = click.Context(main, info_name="corollary")
    while isinstance(at, click.Group) and words and not words[0].startswith("-"):
        found = at.get_command(context, words[0])
        assert found is not None, f"{where}: no command {words[0]!r}"
        at, words = found, words[1:]
        context = click.Context(at, parent=context)
    try:
        at.make_parser(context).parse_args(list(words))
    except click.UsageError as error:
        raise AssertionError(f"{where}: {command}: {error.format_message()}") from None


def assert_shown(shown: str, printed: str, where: str, *, about: bool = False) -> None:
    """What a page shows was printed: each line in its order; `...` stands for anything, also for lines.

    With `about` numbers may be others.
    """
    pattern, gap = "", True
    for line in shown.strip("\n").splitlines():
        if not line.strip():
            continue
        if line.strip() == "...":
            gap = True
            continue
        spaced = r"[ \t]+".join(_any(word) for word in line.split())
        if about:
            spaced = NUMBER.sub(lambda _: r"-?[\d,.]+", spaced)
        pattern += (r"(?:.*\n)*?" if gap else r"(?:[ \t]*\n)*") + rf"[ \t]*{spaced}[ \t]*(?:\n|\Z)"
        gap = False
    assert re.match(pattern, printed), f"{where} shows\n{shown}\nbut this was printed:\n{printed}"


def _any(word: str) -> str:
    return ".*".join(re.escape(piece) for piece in word.split("..."))
