"""What people read in place of a label: the name that someone gave it, else the label spelled out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

#: What people read, by label; None where nobody gave names.
Names = Mapping[str, str] | None

#: Where a name that is written as one word falls into words: freezeAccount, DNARepair; not iPhone, PhD, McDonald.
HUMPS = re.compile(r"(?<=[a-z]{2})(?=[A-Z][a-z])|(?<=[A-Z]{2})(?=[A-Z][a-z]{2})")
#: Names that nobody could spell out: GO_0008150, http://...
CODE = re.compile(r"[A-Za-z]+_\d{3,}|[A-Za-z][A-Za-z0-9+.-]*://.*")


class _AsWritten(Mapping[str, str]):
    """Every label by itself."""

    def __getitem__(self, label: str) -> str:
        return label

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


#: Labels as they are written: for those who mend a file, and look for them there.
AS_WRITTEN: Mapping[str, str] = _AsWritten()


def spelled_out(label: str) -> str:
    """Return a label as people would write it.

    `freeze_account` and `FreezeAccount` become "freeze account".

    Words and codes stay as they are.
    """
    if CODE.fullmatch(label):
        return label
    words = label.replace("_", " ").split()
    parts = [part for word in words for part in HUMPS.split(word)]
    if len(parts) > len(words):
        return " ".join(part if part.isupper() else part.lower() for part in parts)
    if len(words) > 1 and "_" in label and all(word.isupper() for word in words):
        return " ".join(words).lower()
    return " ".join(words) if "_" in label and words else label


def readable_names(labels: Iterable[str], given: Names = None) -> dict[str, str]:
    """Return the name of each label for people: the one given, else the label spelled out.

    If a name is not just the label spelled out, or two labels have the same one, the label is put
    beside it: "biological process (GO:0008150)".
    """
    given = given or {}
    names = {
        label: " ".join(given.get(label, "").split()) or spelled_out(label) for label in labels
    }
    times = Counter(name.casefold() for name in names.values())
    return {
        label: name
        if name == label or (times[name.casefold()] == 1 and _same(name, label))
        else f"{name} ({label})"
        for label, name in names.items()
    }


def called(label: str, names: Names = None) -> str:
    """What people read of a label: its name where names are given, else the label spelled out."""
    found = None if names is None else names.get(label)
    return spelled_out(label) if found is None else found


def _same(name: str, label: str) -> bool:
    """Whether two names differ only in how they are written."""
    bare_name, bare_label = (re.sub(r"[\W_]+", "", text).casefold() for text in (name, label))
    return bool(bare_name) and bare_name == bare_label
