"""Models of sentence-transformers, by name or from a folder: for texts, and CLIP-like ones for pictures too."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...logic.errors import CorollaryError

#: Things that go through the model at once.
BATCH = 32


class Model:
    """Any model of sentence-transformers. Its weights come from a folder, else from the hub or its cache."""

    def __init__(self, model: str):
        try:
            from sentence_transformers import SentenceTransformer
        except ModuleNotFoundError as missing:
            raise CorollaryError(
                f"the encoder {model!r} is a model of sentence-transformers, which is not installed ({missing.name}): "
                "pip install 'corollary[models]'; without it there are 'static' and 'lexical'"
            ) from missing
        try:
            self._model = SentenceTransformer(model)
        except Exception as error:  # of the hub, the network, the folder: whatever comes to hand
            raise CorollaryError(
                f"the model {model!r} cannot be loaded ({type(error).__name__}: {_first_line(error)}). Bring it along: "
                f"where there is a network, SentenceTransformer({model!r}).save('FOLDER'); copy that folder here and "
                "name it as the encoder"
            ) from error
        self.name = f"{Path(model).name or model}{_revision(self._model)}"

    def encode(self, things: Sequence[Any], /) -> Any:
        """A row for each text or picture, where the model takes pictures."""
        return self._model.encode(list(things), batch_size=BATCH, show_progress_bar=False, convert_to_numpy=True)


def _revision(model: Any) -> str:
    """Which version of the weights it is, as far as they tell."""
    config = getattr(getattr(model[0], "auto_model", None), "config", None)
    commit = getattr(config, "_commit_hash", None)
    return f"@{commit[:12]}" if isinstance(commit, str) else ""


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or ["no reason given"])[0]
