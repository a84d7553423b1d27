"""Models of sentence-transformers, by name or from a folder: for texts, and CLIP-like ones for pictures too."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...logic.errors import CorollaryError
from .pictures import open_picture

#: Texts that go through the model at once; and pictures, which are large until the model has made them small.
BATCH = 32
PICTURES = 8


class Model:
    """Any model of sentence-transformers. Its weights come from a folder, else from the hub or its cache.

    A CLIP-like one takes pictures too (`takes_pictures`), and gives them vectors in the space of those of texts.
    """

    def __init__(self, model: str):
        try:
            from sentence_transformers import SentenceTransformer
        except ModuleNotFoundError as missing:
            raise CorollaryError(
                f"the encoder {model!r} is a model of sentence-transformers, which is not installed ({missing.name}): "
                "pip install 'corollary[models]', for pictures 'corollary[pictures]'; without it there are 'static' "
                "and 'lexical'"
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
        supports = getattr(self._model, "supports", None)  # available since 5.4
        self.takes_pictures = supports is not None and bool(supports("image"))

    def encode(self, things: Sequence[Any], /) -> Any:
        """A row for each text or picture (its bytes, its path, or an image of Pillow), where the model takes pictures.

        The two go through the model apart.
        """
        texts = [k for k, thing in enumerate(things) if isinstance(thing, str)]
        others = [k for k, thing in enumerate(things) if not isinstance(thing, str)]
        if others and not self.takes_pictures:
            raise CorollaryError(
                f"the model {self.name!r} takes texts only, got {type(things[others[0]]).__name__}; pictures need a "
                "CLIP-like model (clip-ViT-B-32), and sentence-transformers 5.4 or newer"
            )
        read = [self._vectors([self._as_text(things[k]) for k in texts])] if texts else []
        seen = [
            self._vectors([open_picture(things[k], k) for k in others[start : start + PICTURES]])
            for start in range(0, len(others), PICTURES)
        ]
        return np.concatenate(read + seen)[np.argsort([*texts, *others])]

    def _as_text(self, text: str) -> Any:
        """A text that stays one: of addresses and names of files such a model would take what they lead to."""
        return {"text": text} if self.takes_pictures else text

    def _vectors(self, things: list[Any]) -> Any:
        return self._model.encode(
            things, batch_size=BATCH, show_progress_bar=False, convert_to_numpy=True
        )


def _revision(model: Any) -> str:
    """Return the version of the weights.

    Their commit, or else their hash, because folders have no versions.
    """
    config = getattr(getattr(model[0], "auto_model", None), "config", None)
    commit = getattr(config, "_commit_hash", None)
    if isinstance(commit, str):
        return f"@{commit[:12]}"
    digest = hashlib.sha256()
    for name, weights in model.state_dict().items():
        digest.update(name.encode())
        digest.update(weights.detach().cpu().float().numpy().data)
    return f"@sha256-{digest.hexdigest()[:12]}"


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or ["no reason given"])[0]
