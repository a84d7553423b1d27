"""Results of parts that are kept until all are done: a run that was stopped goes on where it was."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import numpy as np

from ..logic.errors import CorollaryError
from ..logic.whole_file import written_whole
from .ranking import Ranked
from .table.parts import Part

#: The file with the key of a folder's run; readers of Parquet ignore such names.
RUN = "_run.json"


class Kept:
    """A folder for the results of one run; each run has a `key` of its own."""

    def __init__(self, folder: str | Path, key: str):
        self.folder = Path(folder)
        self._key = key

    def begin(self, *, replace: bool) -> None:
        """Make the folder, or go on with it; of another run it is emptied, or without `replace` refused."""
        if self.folder.exists() and any(self.folder.iterdir()) and self._found() != self._key:
            if not replace or self._found() is None:
                raise CorollaryError(
                    f"{self.folder} has files of another pool, ontology, model or question: name another folder, or "
                    "remove this one"
                )
            self.remove()
        self.folder.mkdir(parents=True, exist_ok=True)
        with written_whole(self.folder / RUN) as partial:
            partial.write_text(json.dumps({"run": self._key}) + "\n", encoding="utf-8")

    def path(self, part: Part, suffix: str) -> Path:
        """Where the result of a part is."""
        return self.folder / f"part-{part.first:012}.{suffix}"

    def get(self, part: Part) -> Ranked:
        """The result of a part."""
        with np.load(self.path(part, "npz"), allow_pickle=False) as found:
            return Ranked(**found)

    def put(self, part: Part, found: Ranked) -> None:
        """Keep the result of a part."""
        with written_whole(self.path(part, "npz")) as partial, partial.open("wb") as file:
            np.savez(file, **found._asdict())

    def tidy(self) -> None:
        """Remove what workers that died left half-written."""
        for left in self.folder.glob(".*.partial"):
            left.unlink(missing_ok=True)

    def remove(self) -> None:
        """Remove the folder, with all that is in it."""
        shutil.rmtree(self.folder)

    def _found(self) -> str | None:
        try:
            return str(json.loads((self.folder / RUN).read_text(encoding="utf-8"))["run"])
        except (OSError, ValueError, KeyError, TypeError):
            return None


def key_of(*parts: object) -> str:
    """Return the key of a run: a hash of everything it is made from."""
    total = hashlib.sha256()
    for part in parts:
        content = (
            part.tobytes()
            if isinstance(part, np.ndarray)
            else repr(part).encode("utf-8", "replace")
        )
        total.update(len(content).to_bytes(8, "little") + content)
    return total.hexdigest()
