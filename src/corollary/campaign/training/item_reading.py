"""Items as learners see them after an encoder has read their texts and pictures."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ...learning.features.columns import FeaturesWarning
from ...learning.features.encoded import PICTURES, Encoded
from ...learning.features.spaces import Reduced, Standard
from ...learning.meaning.encoders import Vectors, best_encoder
from ...learning.meaning.label_texts import LabelText, label_texts
from ...learning.session.training import ToRead
from ...logic.ontology import Ontology
from ..items import (
    Item,
    have_text,
    pixels_of,
    tell_broken,
    texts_and_fields,
    vectors_of,
    whole_picture,
)
from ..settings import Settings
from ..storage.records import Encodings
from .recalled import Recalled, recall


def to_read(
    settings: Settings,
    onto: Ontology,
    *,
    before: Mapping[str, Any] | None = None,
    only: bool = False,
) -> ToRead | None:
    """Return what a training reads under these settings; None if it reads nothing.

    `before` is the encoder of a model in the log.
    """
    if settings.reads_with is None:
        return None
    texts = label_texts(onto.labels, meaning_of(settings, onto))
    wanted = ToRead(settings.reads_with, tuple(texts or ()), only=only)
    if before is None or before["setting"] != settings.reads_with:
        return wanted
    return wanted._replace(name=before["name"], pictures=before.get("pictures", False))


def meaning_of(settings: Settings, onto: Ontology) -> dict[str, str]:
    """Return the text of each label that the settings describe."""
    return {label: _said(about) for label, about in settings.labels.items() if label in onto.index}


def _said(about: Mapping[str, str]) -> str:
    """Return the name, synonyms and definition of a label as one text."""
    called = "; ".join(about[part] for part in ("name", "synonyms") if about.get(part))
    return ": ".join(part for part in (called, about.get("definition", "")) if part)


def auto_encoder(items: Iterable[Item]) -> str | None:
    """Return the best installed encoder, to be stored as a setting; None if items have no text."""
    if not have_text(items):
        return None
    return best_encoder()


class Read(NamedTuple):
    """Items that were read, the encoder as the log keeps it, and its new vectors."""

    X: Encoded
    encoder: dict[str, Any]
    new: Encodings


def read(items: Sequence[Item], onto: Ontology, wanted: ToRead, kept: Encodings) -> Read:
    """Return the features of items: encoded texts and pictures, beside their other columns."""
    from ...learning.meaning.lexical import Lexical
    from ...learning.meaning.reader import BESIDE, Reader, check_texts

    texts, rest = texts_and_fields(items)
    texts = check_texts(texts)
    encoder = None
    if wanted.encoder != Lexical.name:
        pictures = [whole_picture(item) for item in items if item.image is not None]
        read_of_labels = [one.text for one in wanted.labels]
        encoder = recall(wanted, [*texts, *read_of_labels], pictures, kept)
    seen = (
        _read_pictures(items, wanted.labels, encoder)
        if encoder is not None and encoder.takes_pictures
        else None
    )
    rest += vectors_of(items) or (
        [] if seen is not None else pixels_of(items, needed=not any(texts) and not rest)
    )
    found = seen
    if found is None or any(texts):
        said = Reader(onto, wanted.labels, encoder=encoder).fit(texts).read(texts)
        found = said if seen is None else said.beside(seen)
    for block in rest:
        found = found.beside(_features(onto, BESIDE * _on_one_scale(block)))
    if encoder is None:
        return Read(found, {"name": Lexical.name}, {})
    return Read(found, encoder.in_log, {encoder.name: encoder.new} if encoder.new else {})


def _read_pictures(
    items: Sequence[Item], labels: Sequence[LabelText], encoder: Recalled
) -> Encoded | None:
    """Return the encoded pictures and their similarity to each label; None if there are no pictures.

    An item without a picture that can be decoded gets the average similarity.
    """
    with_picture = [i for i, item in enumerate(items) if item.image is not None]
    if not with_picture:
        return None
    said = encoder.encode([one.text for one in labels])
    vectors = np.zeros((len(items), said.shape[1]), np.float32)
    vectors[with_picture] = encoder.encode(
        [whole_picture(items[i]).data or b"" for i in with_picture]
    )
    seen = np.asarray(vectors.any(axis=1))
    if broken := [items[i].id for i in with_picture if not seen[i]]:
        warnings.warn(tell_broken(broken), FeaturesWarning, stacklevel=3)
    similarity = vectors @ said.T
    similarity[~seen] = similarity[seen].mean(axis=0) if seen.any() else 0.0
    return Encoded(vectors, similarity[None], (PICTURES,))


def _features(onto: Ontology, features: Vectors) -> Encoded:
    return Encoded(features, np.zeros((0, len(features), len(onto)), np.float32), ())


def _on_one_scale(block: Any) -> Vectors:
    """Scale features so that their rows are about as long as an embedding."""
    if sparse.issparse(block):
        return Reduced(block, random=np.random.RandomState(0)).of(block)
    return Standard(block).of(block)
