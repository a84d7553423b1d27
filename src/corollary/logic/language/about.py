"""What is said of a label in words: other names, synonyms and definitions."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class About:
    """What is said of one label, each text on one line; `names` are those that are not the label itself."""

    names: tuple[str, ...] = ()
    synonyms: tuple[str, ...] = ()
    definitions: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.names or self.synonyms or self.definitions)

    @property
    def text(self) -> str:
        """All of it as one text: other names first, then definitions; empty where nothing is said."""
        called = "; ".join(dict.fromkeys((*self.names, *self.synonyms)))
        return ": ".join(part for part in (called, *self.definitions) if part)
