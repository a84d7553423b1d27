"""Pictures as a model takes them: opened from their bytes or their file, upright, in colour."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

from ...logic.errors import CorollaryError
from ..argument_checks import shown

MISSING = "pictures need the extra `pictures`: pip install 'corollary[pictures]'"


class UnreadablePicture(CorollaryError):
    """A picture that cannot be opened; `place` is its place among those that were to be."""

    def __init__(self, place: int, why: str):
        super().__init__(f"the picture of item {place:,} cannot be opened: {why}")
        self.place = place
        self.why = why


def open_picture(thing: Any, place: int) -> Any:
    """A picture from its bytes, its path, or opened with Pillow already; `place` is named where it cannot be."""
    try:
        from PIL import Image, ImageOps, UnidentifiedImageError
    except ModuleNotFoundError as missing:
        raise CorollaryError(MISSING) from missing
    if not isinstance(thing, bytes | Path | Image.Image):
        raise UnreadablePicture(
            place, f"it must be bytes, a Path or an image of Pillow, got {shown(thing)}"
        )
    try:
        data = thing.read_bytes() if isinstance(thing, Path) else thing
        found = Image.open(BytesIO(data)) if isinstance(data, bytes) else data
        return ImageOps.exif_transpose(found).convert("RGB")
    except UnidentifiedImageError as error:
        raise UnreadablePicture(place, "it is no picture of a kind that Pillow knows") from error
    except Exception as error:  # of damaged files decoders raise whatever comes to hand
        raise UnreadablePicture(place, f"{type(error).__name__}: {error}") from error
