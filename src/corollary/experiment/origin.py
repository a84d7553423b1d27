"""Where a result comes from: the commit and the versions that made it, and whether results come from one commit."""

from __future__ import annotations

import os
import platform
import subprocess
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self

from ..logic.errors import CorollaryError

#: The folder of the package, whose files make the results.
PACKAGE = Path(__file__).parents[1]
#: What results depend on beside the package.
LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba")
#: In place of a commit: the package is in no git checkout; the result is of before origins were kept.
UNKNOWN = "unknown"
NOT_RECORDED = "not recorded"


@dataclass(frozen=True)
class Origin:
    """The commit and versions that made a result.

    `changed` is None if the package was as committed. Otherwise it is a digest of its files, so
    that two changed states of one commit differ.
    """

    commit: str = NOT_RECORDED
    changed: str | None = None
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def code(self) -> str:
        """The code in words: `commit 1a2b3c4d5e6f with changes that are not committed (9f8e7d6c5b4a)`."""
        if self.commit == NOT_RECORDED:
            return "commit not recorded"
        if self.commit == UNKNOWN:
            return f"commit unknown, corollary {self.versions.get('corollary', UNKNOWN)}"
        changes = (
            "" if self.changed is None else f" with changes that are not committed ({self.changed})"
        )
        return f"commit {self.commit[:12]}{changes}"

    @property
    def made_with(self) -> str:
        """The versions in words: `corollary 0.1.0, Python 3.12.3, numpy 2.1.0, ...`."""
        return (
            ", ".join(f"{name} {number}" for name, number in self.versions.items())
            or "versions not recorded"
        )

    def to_json(self) -> dict[str, Any]:
        """What JSON can hold."""
        return asdict(self)

    @classmethod
    def from_json(cls, record: Mapping[str, Any] | None) -> Self:
        """The origin in a result; those of before have none."""
        return (
            cls()
            if record is None
            else cls(record["commit"], record["changed"], dict(record["versions"]))
        )


def origin_here(package: Path = PACKAGE) -> Origin:
    """What makes results now: a commit only where git keeps the very files of the package, not a folder around them."""
    from .. import __version__

    versions = {"corollary": __version__, "Python": platform.python_version()}
    versions |= {name: version(name) for name in LIBRARIES}
    commit = _git(package, "rev-parse", "HEAD") if _git(package, "ls-files", "__init__.py") else ""
    if not commit:
        return Origin(UNKNOWN, None, versions)
    changed = _git(package, "--no-optional-locks", "status", "--porcelain", "--", ".")
    return Origin(commit, _digest(package) if changed else None, versions)


def check_one_origin(origins: Iterable[Origin], *, what: str) -> None:
    """Refuse results that were made by different code; `what` says what to do about it."""
    if len(counted := count_codes(origins)) > 1:
        counts = "; ".join(f"{code}: {n:,}" for code, n in counted.items())
        raise CorollaryError(f"these runs are not all of one commit ({counts}); {what}")


def count_codes(origins: Iterable[Origin]) -> dict[str, int]:
    """How many results each code made, in the order in which they come first."""
    return dict(Counter(origin.code for origin in origins))


def _git(folder: Path, *arguments: str) -> str:
    """What git says; nothing where it is not there, or knows nothing of the folder."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        found = subprocess.run(
            ["git", *arguments],
            cwd=folder,
            env=plain,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
    except OSError:
        return ""
    return found.stdout.strip() if found.returncode == 0 else ""


def _digest(package: Path) -> str:
    whole = sha256()
    for path in sorted(package.rglob("*.py")):
        whole.update(f"{path.relative_to(package).as_posix()}\0".encode())
        whole.update(sha256(path.read_bytes()).digest())
    return whole.hexdigest()[:12]
