"""Print the oldest version of each package that pyproject.toml allows, as constraints for pip."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

#: The extras that users install; what only tests and developers need may be new.
EXTRAS = ("formats", "data", "tables", "plots", "serve", "postgres", "text", "dask")


def oldest(pyproject: Path) -> list[str]:
    """Every lower bound as a pin."""
    project = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]
    wanted = [
        *project["dependencies"],
        *(one for extra in EXTRAS for one in project["optional-dependencies"][extra]),
    ]
    pins = []
    for requirement in wanted:
        if requirement.startswith("corollary["):  # an extra that holds another one
            continue
        name, least, version = requirement.partition(">=")
        if not least or "," in version:
            raise SystemExit(
                f"{requirement!r} must say the oldest version, and that alone: NAME>=VERSION"
            )
        pins.append(f"{name.partition('[')[0]}=={version}")
    return pins


if __name__ == "__main__":
    sys.stdout.write("\n".join(oldest(Path(__file__).parents[2] / "pyproject.toml")) + "\n")
