"""The reference of commands and of the HTTP API, and the examples, written from the code itself at every build."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import click
from fastapi.routing import APIRoute
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

COMMANDS_HEAD = """# Commands

For users of the command line. Here you find every command with its options, made from version {version} of the program.

`corollary COMMAND --help` shows the same. An error is one message on the standard error and exit status 2; nothing is
changed then. `corollary --version` prints the version. If the command is not on the path, use `python -m corollary`.
"""
HTTP_HEAD = """# HTTP

For engineers who call a server from a program. Here you find its routes, made from the program itself.

A running server describes every field at
`/api/openapi.json` (OpenAPI 3). Programs send `Authorization: Bearer TOKEN` with the token of an invitation. Pages use
a cookie, and send `X-Corollary: 1` with every request that is not a GET. *Open* routes are for everybody. An
annotator may do everything that a reader may, and a lead everything that an annotator may. An error is a JSON object
that names the mistake and the remedy.

| route | who | what it does |
| --- | --- | --- |
"""
EXAMPLES_HEAD = """# Examples

For readers who learn from code. Here you find short scripts, each complete. They are in the folder `examples` of the
repository and run in its tests.
"""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages."""
    examples = Path(config.config_file_path).parent / "examples"
    made = {
        "examples.md": examples_page(examples),
        "reference/commands.md": commands_page(),
        "reference/http.md": http_page(),
    }
    for name, content in made.items():
        if there := files.get_file_from_path(
            name
        ):  # what the repository has says where to look without the site
            files.remove(there)
        files.append(File.generated(config, name, content=content))
    return files


# -- commands ----------------------------------------------------------------------------------------------------------


def commands_page() -> str:
    """Every command with its arguments and options."""
    from corollary import __version__
    from corollary.cli import main

    root = click.Context(main, info_name="corollary")
    parts = [COMMANDS_HEAD.format(version=__version__)]
    for name in main.list_commands(root):
        command = main.get_command(root, name)
        assert command is not None
        parts += _command(command, click.Context(command, info_name=name, parent=root), "##")
    return "\n".join(parts)


def _command(command: click.Command, context: click.Context, heading: str) -> Iterator[str]:
    yield f"\n{heading} {context.command_path}\n"
    yield _help(command.help or "")
    usage = [context.command_path, *command.collect_usage_pieces(context)]
    yield f"\n```text\n{' '.join(usage)}\n```\n"
    if options := [
        param for param in command.params if isinstance(param, click.Option) and not param.hidden
    ]:
        yield "| option | what it does |\n| --- | --- |"
        for option in options:
            yield f"| {_option(option, context)} | {_cell(_about(option, context))} |"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from _command(
                below, click.Context(below, info_name=name, parent=context), heading + "#"
            )


def _help(text: str) -> str:
    """A command's help as Markdown: what click keeps line by line is a block of code."""
    parts = []
    for paragraph in inspect.cleandoc(text).split("\n\n"):
        if paragraph.startswith("\b\n"):
            parts.append(f"```text\n{inspect.cleandoc(paragraph[2:])}\n```")
        else:
            parts.append(_escaped(" ".join(paragraph.split())))
    return "\n\n".join(parts)


def _option(option: click.Option, context: click.Context) -> str:
    names = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
    if option.is_flag or option.count:
        return names
    return f"{names} `{_cell(option.make_metavar(context))}`"


def _about(option: click.Option, context: click.Context) -> str:
    record = option.get_help_record(context)
    return "" if record is None else _escaped(" ".join(record[1].split()))


# -- HTTP --------------------------------------------------------------------------------------------------------------


def http_page() -> str:
    """Every route, who may call it, and what it does."""
    from corollary.web.access.sign_in import ACCESS
    from corollary.web.app import ROUTERS

    about = {
        f"{method} {route.path}": _first_sentence(route)
        for router in ROUTERS
        for route in router.routes
        if isinstance(route, APIRoute)
        for method in route.methods or ()
    }
    about["GET /api/openapi.json"] = "The description of this API."
    rows = (f"| `{line}` | {access} | {_cell(about[line])} |" for line, access in ACCESS.items())
    return HTTP_HEAD + "\n".join(rows) + "\n"


def _first_sentence(route: APIRoute) -> str:
    text = " ".join((inspect.getdoc(route.endpoint) or "").split())
    return _escaped(re.split(r"(?<=\.)\s", text)[0])


# -- examples ----------------------------------------------------------------------------------------------------------


def examples_page(folder: Path) -> str:
    """Every script with what it says of itself."""
    parts = [EXAMPLES_HEAD]
    for script in sorted(folder.glob("*.py")):
        text = script.read_text(encoding="utf-8")
        about = (ast.get_docstring(ast.parse(text)) or "").partition("\n\n")[0]
        code = text.partition('"""\n')[2] if text.startswith('"""') else text
        name = script.stem.replace("_", " ").capitalize()
        parts.append(
            f'## {name}\n\n{about}\n\n```python title="examples/{script.name}"\n{code}```\n'
        )
    return "\n".join(parts)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _escaped(text: str) -> str:
    """Return text without markup, except code in backticks."""
    return re.sub(r"([*_<\[])", r"\\\1", text) if "`" not in text else text.replace("<", "&lt;")
