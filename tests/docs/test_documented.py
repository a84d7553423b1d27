"""Every public name, command, option and route is documented."""

from __future__ import annotations

import importlib.util
import inspect
import re

import click
import pytest

import corollary
from corollary.cli import main

from .pages import PAGES, ROOT, blocks, commands

pytest.importorskip(
    "mkdocs", reason="the reference pages are made by mkdocs' hooks: pip install 'corollary[docs]'"
)


def hook(name: str):
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / "hooks" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def every_command():
    root = click.Context(main, info_name="corollary")
    waiting = [(main.get_command(root, name), root, name) for name in main.list_commands(root)]
    for command, parent, name in waiting:
        context = click.Context(command, info_name=name, parent=parent)
        yield command, context
        if isinstance(command, click.Group):
            waiting += [
                (command.get_command(context, below), context, below)
                for below in command.list_commands(context)
            ]


def test_every_public_name_is_in_the_reference_once():
    text = (ROOT / "docs" / "reference" / "python.md").read_text(encoding="utf-8")
    shown = re.findall(r"^::: corollary\.(\w+)$", text, re.M)
    public = [name for name in corollary.__all__ if name != "__version__"]
    assert sorted(shown) == sorted(public)
    assert "__version__" in text


def test_every_public_name_has_a_docstring():
    for name in corollary.__all__:
        if name != "__version__":
            assert inspect.getdoc(getattr(corollary, name)), name


def test_every_command_and_option_is_in_the_reference_with_its_help():
    page = hook("reference").commands_page()
    for command, context in every_command():
        assert re.search(rf"^#+ {context.command_path}$", page, re.M)
        assert command.help, context.command_path
        section = page.split(f" {context.command_path}\n", 1)[1].split("\n## ", 1)[0]
        for option in command.params:
            if isinstance(option, click.Option) and not option.hidden:
                assert option.help or option.show_default, f"{context.command_path} {option.opts}"
                assert all(f"`{name}`" in section for name in option.opts)


def test_every_command_is_shown_at_work_on_some_page():
    shown = " ".join(
        command
        for page in PAGES
        for block in blocks(page.read_text(encoding="utf-8"))
        for command in commands(block.text)
    )
    for _, context in every_command():
        assert f"{context.command_path} " in f"{shown} ", context.command_path


def test_every_route_is_in_the_reference():
    from corollary.web.access.sign_in import ACCESS

    page = hook("reference").http_page()
    rows = dict(re.findall(r"^\| `(.*?)` \| [\w ]+ \| (.*) \|$", page, re.M))
    assert rows.keys() == ACCESS.keys()
    assert all(rows.values())


def test_every_format_of_other_tools_is_listed():
    from corollary.campaign.files.tools.formats import FORMATS

    text = (ROOT / "docs" / "howto" / "other-tools.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w-]+)` \| .* \| (yes|no) \| (yes|no) \|$", text, re.M)
    listed = {name: (reads == "yes", writes == "yes") for name, reads, writes in rows}
    assert listed == {name: (one.reads, one.writes) for name, one in FORMATS.items()}


def test_every_setting_is_in_the_table():
    from corollary.campaign.settings import ABOUT
    from corollary.cli.upkeep.settings import brief

    text = (ROOT / "docs" / "howto" / "settings.md").read_text(encoding="utf-8")
    rows = [
        f"| `{name}` | {brief(one['default'])} | {one['allowed']} | {one['does']} | {one['now']} |"
        for name, one in ABOUT.items()
    ]
    assert [line for line in text.splitlines() if line.startswith("| `")] == rows, "\n".join(rows)


def test_every_score_and_method_is_told():
    from corollary.experiment.methods import PAPER
    from corollary.learning.choosing.scores import NAMES

    text = (ROOT / "docs" / "mathematics.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in text for name in NAMES if name != "random")
    text = (ROOT / "docs" / "tutorials" / "researcher.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in text for name in (*PAPER, "random"))


def test_why_a_block_is_not_run_is_told():
    for page in PAGES:
        for block in blocks(page.read_text(encoding="utf-8")):
            if block.note.startswith("not run"):
                assert block.not_run.strip(), f"{page}, line {block.line}"
