"""Names found in texts, word for word: which labels a text names, and what that says of every label."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

import numpy as np
from scipy import sparse

from ...logic.ontology import Ontology
from .encoders import Vectors

WORD = re.compile(r"[^\W_]+")
POSSESSIVE = re.compile(r"['’]s\b", re.IGNORECASE)
#: What a plural in -es ends in without its s: boxes, causes, matches, potatoes.
SIBILANT = ("se", "xe", "ze", "che", "she", "oe")
#: Words shorter than this have no plural.
SHORTEST = 4


class NamesInTexts:
    """Finds the names of labels in texts: by whole words, whatever their case, hyphens and plurals.

    A name inside a longer name that is found there does not count: "stem cell" in "hematopoietic stem cell".
    A name that is one word in capitals (ALL, AIDS) is found only in capitals.
    """

    def __init__(self, names: Sequence[Iterable[str]]):
        self._labels: dict[tuple[str, ...], set[int]] = {}
        for label, called in enumerate(names):
            for name in called:
                if key := key_of(name):
                    self._labels.setdefault(key, set()).add(label)
        lengths: dict[str, set[int]] = {}
        for key in self._labels:
            lengths.setdefault(key[0], set()).add(len(key))
        self._lengths = {first: sorted(found, reverse=True) for first, found in lengths.items()}
        self._n_labels = len(names)

    def __call__(self, texts: Iterable[str]) -> sparse.csr_array:
        """Which labels each text names (N, K), 0 or 1."""
        ends = [0]
        found: list[int] = []
        for text in texts:
            found += sorted({label for key in self._keys(text) for label in self._labels[key]})
            ends.append(len(found))
        there = np.ones(len(found), np.float32)
        return sparse.csr_array((there, found, ends), (len(ends) - 1, self._n_labels))

    def _keys(self, text: str) -> Iterator[tuple[str, ...]]:
        """The longest names in a text: of those from each word on, what reaches beyond the ones before."""
        written = words_of(text)
        words = [singular(word) for word in written]
        reach = 0
        for start, word in enumerate(words):
            covered = start < reach
            for length in self._lengths.get(word, ()):
                end = start + length
                if reach < end <= len(words) and (key := tuple(words[start:end])) in self._labels:
                    yield key
                    reach = end
                    break
            in_capitals = (written[start],)
            if not covered and reach <= start + 1 and in_capitals in self._labels:
                yield in_capitals
                reach = start + 1


def said_by_names(onto: Ontology, named: sparse.csr_array) -> Vectors:
    """What the labels that texts name say of all labels (N, K).

    If a text names labels: the share of the named labels from which a label follows, or -1 if it follows from none. A
    text that names nothing says nothing.
    """
    there = np.unique(named.indices)
    facts = np.full((len(there), len(onto)), -1, np.int8)
    facts[np.arange(len(there)), there] = 1
    follows, clash = onto.closure(facts)
    follows = np.where(clash[:, None], facts, follows) == 1
    several = np.asarray(named.sum(axis=1)).reshape(-1, 1)
    found = named[:, there] @ follows.astype(np.float32)
    share = np.asarray(found / np.maximum(several, 1), np.float32)
    return np.where((several > 0) & (found == 0), np.float32(-1), share)


def words_of(text: str) -> list[str]:
    """The words of a text as they are written, without hyphens and 's."""
    return WORD.findall(POSSESSIVE.sub("", text))


def key_of(name: str) -> tuple[str, ...]:
    """The words by which a name is found: in the singular, but for a name that is one word in capitals.

    A name without letters has none.
    """
    words = words_of(name) if any(letter.isalpha() for letter in name) else []
    if len(words) == 1 and len(words[0]) > 1 and words[0].isupper():
        return (words[0],)
    return tuple(singular(word) for word in words)


@lru_cache(maxsize=200_000)
def singular(word: str) -> str:
    """What a word and its plural have in common, in lower case: body and bodies, cause and causes, box and boxes."""
    word = word.casefold()
    if len(word) < SHORTEST:
        return word
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    if word.endswith("ie"):
        return word[:-2] + "y"
    return word[:-1] if len(word) >= SHORTEST and word.endswith(SIBILANT) else word
