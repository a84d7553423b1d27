"""CoNLL04: mentions in sentences of news, their types, and relations between two mentions of one sentence."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...learning.features.tables_and_text import default_features
from ...logic.errors import CorollaryError
from ...logic.ontology import Ontology
from ...logic.relations.pairs import Pairs
from .datasets import Dataset
from .tables import read_lines

FILES = ("sentences.jsonl", "conll04.onto")
FOLDER = "conll04"
#: Sentences of fewer or more mentions are left out.
MENTIONS = range(2, 9)
#: Sentences that are known from the start.
KNOWN_SENTENCES = 10
NOTE = "of Roth and Yih 2004; licence not stated by the public copy"
#: Mentions farther apart than this count as far.
FAR = 6


def load(place: Path, *, seed: int = 0, sentences: int | None = None) -> Dataset:
    """The data set; ten sentences drawn with the seed are known from the start.

    With `sentences`, only that many, drawn with the seed, are there at all.
    """
    every = list(_sentences(place / FILES[0]))
    rng = np.random.default_rng(seed)
    drawn = rng.permutation(len(every))[:sentences]
    if len(drawn) <= KNOWN_SENTENCES:
        raise CorollaryError(
            f"conll04 knows {KNOWN_SENTENCES} sentences at the start; take more than {len(drawn)}"
        )
    known = set(rng.permutation(len(drawn))[:KNOWN_SENTENCES].tolist())
    onto = Ontology.parse((place / FILES[1]).read_text(encoding="utf-8"))
    mentions: list[dict[str, str]] = []
    pairs: list[dict[str, str]] = []
    types: list[str] = []
    ends: list[tuple[int, int]] = []
    related: list[str | None] = []
    train: list[bool] = []
    for number, sentence in enumerate(every[i] for i in drawn):
        first = len(mentions)
        tokens, spans = sentence["tokens"], sentence["mentions"]
        gold = {(h, t): name for h, name, t in sentence["relations"]}
        mentions += [_mention(tokens, start, stop) for start, stop, _ in spans]
        types += [kind for _, _, kind in spans]
        train += [number in known] * len(spans)
        for h in range(len(spans)):
            for t in range(len(spans)):
                if h != t:
                    ends.append((first + h, first + t))
                    pairs.append(_pair(tokens, spans, h, t))
                    related.append(gold.get((h, t)))
    head, tail = np.array(ends).T
    return Dataset(
        default_features(_columns(mentions))[0],
        np.array([[kind == label for label in onto.labels] for kind in types], np.int8),
        onto,
        train=np.array(train),
        name="conll04",
        notes=(
            NOTE,
            f"{KNOWN_SENTENCES} of {len(drawn):,} sentences known, drawn with seed {seed}",
        ),
        pairs=Pairs(head, tail, X=default_features(_columns(pairs))[0]),
        R=np.array([[name == one for one in onto.relations] for name in related], np.int8),
    )


def _sentences(file: Path) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(read_lines(file), start=1):
        try:
            sentence = json.loads(line)
            if len(sentence["mentions"]) in MENTIONS:
                yield {name: sentence[name] for name in ("tokens", "mentions", "relations")}
        except (ValueError, KeyError, TypeError) as error:
            raise CorollaryError(
                f"{file}, line {number}: not a sentence of CoNLL04 ({error})"
            ) from error


def _mention(tokens: Sequence[str], start: int, stop: int) -> dict[str, str]:
    words = tokens[start:stop]
    return {
        "words": " ".join(words),
        "before": " ".join(tokens[max(0, start - 3) : start]),
        "after": " ".join(tokens[stop : stop + 3]),
        "previous": tokens[start - 1] if start else "^",
        "next": tokens[stop] if stop < len(tokens) else "$",
        "shape": " ".join(map(_shape, words)),
        "first": words[0],
        "last": words[-1],
    }


def _pair(tokens: Sequence[str], spans: Sequence[Any], h: int, t: int) -> dict[str, str]:
    (h_start, h_stop, _), (t_start, t_stop, _) = spans[h], spans[t]
    forward = h_start < t_start
    way = ">" if forward else "<"
    between = tokens[h_stop:t_start] if forward else tokens[t_stop:h_start]
    start, stop = min(h_start, t_start), max(h_stop, t_stop)
    mark = "f" if forward else "b"

    def marked(words: Sequence[str]) -> str:
        return " ".join(mark + word for word in words)

    return {
        "between": marked(between),
        "whole": f"{way} {' '.join(between)}" if len(between) <= FAR else f"{way} far",
        "distance": f"{way} {min(len(between), FAR)}",
        "mentions between": f"{way} {min(abs(h - t) - 1, 4)}",
        "before": marked(tokens[max(0, start - 2) : start]),
        "after": marked(tokens[stop : stop + 2]),
        "head": " ".join(tokens[h_start:h_stop]),
        "tail": " ".join(tokens[t_start:t_stop]),
    }


def _shape(word: str) -> str:
    """`Washington` is Xx, `U.S.` is X.X., `1865` is 0."""
    plain = re.sub("[a-z]", "x", re.sub("[A-Z]", "X", re.sub("[0-9]", "0", word)))
    return re.sub(r"(.)\1+", r"\1", plain)


def _columns(rows: Sequence[dict[str, str]]) -> dict[str, Any]:
    return {name: np.array([row[name] for row in rows], object) for name in rows[0]}
