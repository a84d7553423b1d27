"""Pages of the site that are files of the repository, so that each text has one home; links follow them."""

from __future__ import annotations

import re
from pathlib import Path
from posixpath import join, normpath, relpath

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

PAPER = "papers/active-learning-amidst-logical-knowledge"
#: Where a file of the repository is found on the site.
MOUNTED = {
    f"{PAPER}/README.md": "reproduction.md",
    "ARCHITECTURE.md": "architecture.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
    "README.md": "index.md",
}
LINK = re.compile(r"(\]\()([^)#:\s]+)(#[^)\s]*)?(\))")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages, and the pictures they show."""
    root = _root(config)
    for source, target in MOUNTED.items():
        if target != "index.md":  # the site has a front page of its own
            text = (root / source).read_text(encoding="utf-8")
            files.append(
                File.generated(config, target, content=_follow(text, home=source, page=target))
            )
    for picture in sorted((root / PAPER / "results").glob("*.png")):
        files.append(
            File.generated(config, f"results/{picture.name}", content=picture.read_bytes())
        )
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """In pages of the site, lead links to files of the repository to where these are."""
    source = page.file.src_uri
    return (
        markdown
        if source in MOUNTED.values()
        else _follow(markdown, home=f"docs/{source}", page=source)
    )


def _follow(text: str, *, home: str, page: str) -> str:
    """The text with its links to files of the repository changed to pages of the site."""

    def led(found: re.Match[str]) -> str:
        target = normpath(join(home, "..", found[2]))
        if target in MOUNTED:
            target = MOUNTED[target]
        elif target.startswith("docs/"):
            target = target.removeprefix("docs/")
        elif target.startswith(f"{PAPER}/results/") and target.endswith(".png"):
            target = target.removeprefix(f"{PAPER}/")
        else:
            return found[0]
        return f"{found[1]}{relpath(target, join(page, '..'))}{found[3] or ''}{found[4]}"

    return LINK.sub(led, text)


def _root(config: MkDocsConfig) -> Path:
    return Path(config.config_file_path).parent
