"""Formulas as MathML, made when the site is built: browsers show them without a script."""

from __future__ import annotations

import re

from latex2mathml.converter import convert
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

#: A block of code is left alone. A block of mathematics is a formula, and so is text between $ signs.
PIECES = re.compile(
    r"^```math\n(?P<block>.*?)^```$|^```.*?^```$|`[^`\n]+`|\$(?P<inline>[^$\n]+)\$", re.S | re.M
)
_formulas: dict[str, list[str]] = {}


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Put a mark in place of each formula, on pages that have blocks of them; Markdown would mangle the formulas."""
    if "```math" not in markdown:
        return markdown
    kept = _formulas[page.file.src_uri] = []

    def mark(found: re.Match[str]) -> str:
        if found["block"] is None and found["inline"] is None:
            return found[0]
        display = "block" if found["block"] else "inline"
        kept.append(convert(found["block"] or found["inline"], display=display))
        return f"FORMULA{len(kept) - 1}END"

    return PIECES.sub(mark, markdown)


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Put the formulas where their marks are."""
    kept = _formulas.get(page.file.src_uri, [])
    return re.sub(r"FORMULA(\d+)END", lambda found: kept[int(found[1])], html)
