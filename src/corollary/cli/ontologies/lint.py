"""`corollary lint`: errors in an ontology, and constraints that it does not need."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

import corollary as co

from ..reading import ONTOLOGY_FILE, count, read, reading_options
from ..terminal import echo, harmless

#: More lines than this are counted, not listed.
LINES_UP_TO = 6
#: More findings of one kind than this are counted, unless all are asked for.
FINDINGS_UP_TO = 20
STYLES = {"error": "bold red", "warning": "yellow", "info": "dim"}


@click.command("lint")
@click.argument("file", type=ONTOLOGY_FILE)
@reading_options()
@click.option("--strict", is_flag=True, help="Fail on warnings too, not only on errors.")
@click.option(
    "--all",
    "every",
    is_flag=True,
    help=f"List all findings, not only the first {FINDINGS_UP_TO} of a kind.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def command(file: Path, *, strict: bool, every: bool, as_json: bool, **reading: Any) -> None:
    """Find errors in an ontology, and constraints that it does not need.

    The exit status is 1 if there is an error, with --strict also for a warning, and 2 if FILE
    cannot be read. Otherwise it is 0.
    """
    ontology = read(file, **reading)
    findings = ontology.lint()
    if as_json:
        echo(json.dumps(as_document(file, ontology, findings), indent=2, ensure_ascii=False))
    else:
        show(file, ontology, findings, every=every)
    click.get_current_context().exit(int(failed(findings, strict=strict)))


def failed(findings: Sequence[co.Finding], *, strict: bool) -> bool:
    """Whether a finding is grave enough for a failing exit status."""
    grave = {"error", "warning"} if strict else {"error"}
    return any(finding.severity in grave for finding in findings)


def as_document(
    file: Path, ontology: co.Ontology, findings: Sequence[co.Finding]
) -> dict[str, Any]:
    """The findings for another program."""
    from corollary.logic.language.notation import render_constraint

    return {
        "file": str(file),
        "labels": len(ontology.labels),
        "constraints": len(ontology.constraints),
        "findings": [
            {
                "severity": finding.severity,
                "kind": finding.kind,
                "message": finding.message,
                "labels": list(finding.labels),
                "constraints": [
                    {
                        "text": render_constraint(constraint),
                        "file": constraint.source.file if constraint.source else None,
                        "line": constraint.source.line if constraint.source else None,
                    }
                    for constraint in finding.constraints
                ],
            }
            for finding in findings
        ],
        "not_expressed": list(ontology.not_expressed),
    }


def show(file: Path, ontology: co.Ontology, findings: Sequence[co.Finding], *, every: bool) -> None:
    """The findings for a person."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    if findings:
        table = Table("severity", "kind", "what", "line", box=box.SIMPLE_HEAD, pad_edge=False)
        shown = Counter[str]()
        for finding in findings:
            shown[finding.kind] += 1
            if every or shown[finding.kind] <= FINDINGS_UP_TO:
                severity = Text(finding.severity, STYLES.get(finding.severity, ""))
                table.add_row(
                    severity,
                    *(
                        Text(harmless(text))
                        for text in (finding.kind, without_places(finding), lines(finding))
                    ),
                )
        Console(highlight=False).print(table)
        for kind, n in shown.items():
            if n > FINDINGS_UP_TO and not every:
                echo(
                    f"and {n - FINDINGS_UP_TO:,} more: {kind}; --all lists them, --json has them too"
                )
    if ontology.not_expressed:
        echo(
            f"{count(len(ontology.not_expressed), 'statement')} of the file not expressed; --json lists them"
        )
    by_severity = Counter(finding.severity for finding in findings)
    found = ", ".join(
        count(n, word, "info" if word == "info" else None) for word, n in by_severity.items()
    )
    size = (
        f"{count(len(ontology.labels), 'label')}, {count(len(ontology.constraints), 'constraint')}"
    )
    echo(f"{file.name}: {size}: {found or 'nothing to report'}")


def without_places(finding: co.Finding) -> str:
    """The message less the places that have a column of their own."""
    message = finding.message
    for source in {constraint.source for constraint in finding.constraints} - {None}:
        message = message.replace(f" [{source}]", "")
    return message


def lines(finding: co.Finding) -> str:
    """The lines of the file that the finding is about."""
    found = sorted(
        {c.source.line for c in finding.constraints if c.source and c.source.line is not None}
    )
    more = f" and {len(found) - LINES_UP_TO:,} more" if len(found) > LINES_UP_TO else ""
    return ", ".join(map(str, found[:LINES_UP_TO])) + more
