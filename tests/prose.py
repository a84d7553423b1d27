"""Plain words, checked: riddles and long sentences are counted in each file, and a count may only fall.

Blocks of commands, grammars and formulas are no sentences; a formula counts as one word.

python -m tests.prose            fails if a file has more than tests/prose.tsv says
python -m tests.prose --show F   the faults of a file, line by line
python -m tests.prose --update   writes the counts of now, where none has risen
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
COUNTS = Path(__file__).with_suffix(".tsv")
#: Words that readers stumble over, and what to write instead.
RIDDLES = {
    "so many": "name the quantity",
    "what is": "start with a noun",
    "told": "reported, returned, shown",
    "tells": "reports, returns, shows",
    r"(?<!which |.none )of these": "name the things",
    "of others": "other tools', published",
    "by chance": "at random",
    "alike": "similar, nearest neighbours",
    "likeness": "similarity",
    "heard": "trusted, weighed",
    "foretold": "predicted",
    r"(?<!\.)stands(?! for)": "is in effect",
    "believed": "predicted, the model's probability",
    "untaught": "held out",
    "speaks? against": "disagrees",
    "things by name": "named",
}
RIDDLE = re.compile(rf"\b({'|'.join(RIDDLES)})\b", re.IGNORECASE)
#: Words in a sentence, at most.
LONGEST = 25
#: What scripts write: its words are checked where they come from.
GENERATED = ("docs/evidence-tables.md", "docs/benchmarks-figures.md", "docs/comparison/report.md")


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["--show"]:
        for path in arguments[1:]:
            print(*(f"{path}:{line}: {why}" for line, why in faults(ROOT / path)), sep="\n")
        return 0
    now = {path: len(faults(ROOT / path)) for path in checked_files()}
    allowed = kept_counts()
    worse = {path: count for path, count in now.items() if count > allowed.get(path, 0)}
    for path, count in worse.items():
        print(
            f"{path}: {count} riddles and long sentences, {allowed.get(path, 0)} before",
            file=sys.stderr,
        )
        for line, why in faults(ROOT / path):
            print(f"  line {line}: {why}", file=sys.stderr)
    if worse:
        print("write these in plain words (CONTRIBUTING.md says how)", file=sys.stderr)
        return 1
    if arguments == ["--update"]:
        COUNTS.write_text(
            "".join(f"{path}\t{count}\n" for path, count in sorted(now.items()) if count)
        )
    print(
        f"{sum(now.values()):,} riddles and long sentences in {len(now):,} files, {sum(allowed.values()):,} allowed"
    )
    return 0


def checked_files() -> list[str]:
    """The files of git in which people read words: sources, the page, README and docs."""
    listed = subprocess.run(
        [
            "git",
            "ls-files",
            "--cached",
            "--others",
            "--exclude-standard",
            "src",
            "docs",
            "README.md",
        ],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.splitlines()
    return [
        path
        for path in listed
        if path.endswith((".py", ".js", ".html", ".md"))
        and path not in GENERATED
        and (ROOT / path).exists()
    ]


def kept_counts() -> dict[str, int]:
    rows = (line.split("\t") for line in COUNTS.read_text().splitlines())
    return {path: int(count) for path, count in rows}


def faults(path: Path) -> list[tuple[int, str]]:
    """Riddles and long sentences of a file, each with its line."""
    text = path.read_text()
    words = without_code(text) if path.suffix == ".md" else text
    found = [
        (number, f"{match[0]!r}: {advice(match[0])}")
        for number, line in enumerate(words.splitlines(), 1)
        for match in RIDDLE.finditer(line)
    ]
    passages = {
        ".py": python_passages,
        ".md": markdown_passages,
        ".js": script_passages,
        ".html": markup_passages,
    }[path.suffix]
    for line, passage in passages(text):
        found += [
            (line, f"{len(words)} words: {' '.join(words[:8])} ...")
            for words in map(str.split, sentences(passage))
            if len(words) > LONGEST
        ]
    return sorted(found)


def advice(riddle: str) -> str:
    return next(
        better for words, better in RIDDLES.items() if re.fullmatch(words, riddle, re.IGNORECASE)
    )


def sentences(passage: str) -> list[str]:
    """Split after full stops, question marks, exclamation marks and colons."""
    return re.split(r"(?<=[.!?:])[)*\"']*\s+", passage)


def python_passages(text: str) -> Iterator[tuple[int, str]]:
    """Docstrings, paragraph by paragraph, and texts in quotes; what is put into a text counts as one word."""
    tree = ast.parse(text)
    inside = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in node.values
    }
    for node in ast.walk(tree):
        if id(node) in inside:
            continue
        match node:
            case ast.JoinedStr(values=values):
                parts = (
                    str(part.value) if isinstance(part, ast.Constant) else "it" for part in values
                )
                text = "".join(parts)
                if not re.search(r"\n\s+\| ", text):  # a grammar
                    yield node.lineno, text
            case ast.Constant(value=str(value)):
                for paragraph in re.split(r"\n\s*\n|\n\s*[-*] ", value):
                    if re.search(r"[a-z] [a-z]", paragraph) and not re.search(
                        r"[{}=|\b]|  \S+  ", paragraph
                    ):
                        yield node.lineno, paragraph


def without_code(text: str) -> str:
    """Leave out code in blocks and between backticks, line by line."""
    blank = re.sub(
        r"```.*?```|<!--.*?-->", lambda found: "\n" * found[0].count("\n"), text, flags=re.DOTALL
    )
    return re.sub(r"`[^`\n]+`", "code", blank)


def markdown_passages(text: str) -> Iterator[tuple[int, str]]:
    """Paragraphs and points of lists; no code, tables or comments."""
    plain = without_code(text)
    line = 1
    for block in re.split(r"(\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) ))", plain):
        if block.strip() and not block.lstrip().startswith(("|", "#", "    ")):
            yield line, re.sub(r"\]\([^)]*\)", "]", re.sub(r"\$[^$]+\$", "x", block))
        line += block.count("\n")


def script_passages(text: str) -> Iterator[tuple[int, str]]:
    """Texts in quotes of the page's scripts; what is put into a text counts as one word."""
    for number, line in enumerate(text.splitlines(), 1):
        code = re.sub(r"^\s*(//|/?\*).*|\s//\s.*$", "", line)
        put_in = re.sub(r"\$\{(?:[^{}]|\{[^{}]*\})*\}", "it", code)
        for found in re.finditer(r"\"([^\"]*)\"|`([^`]*)`", put_in):
            yield number, found[1] or found[2] or ""


def markup_passages(text: str) -> Iterator[tuple[int, str]]:
    """Texts between the tags of a page."""
    for found in re.finditer(r"<(p|h1|h2|title|button|a)\b[^>]*>(.*?)</\1>", text, re.DOTALL):
        yield text.count("\n", 0, found.start()) + 1, re.sub(r"<[^>]*>", "", found[2])


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
