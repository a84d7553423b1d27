"""Sentence embeddings beside a naive twin: one text, one head and one token at a time, in float64."""

from __future__ import annotations

import builtins
import json
import math
import sys
from importlib.machinery import ModuleSpec

import numpy as np
import pytest

from corollary.learning.meaning import sentences
from corollary.learning.meaning.encoders import Encoding, make_encoder
from corollary.learning.meaning.sentences import Sentences, Transformer, gelu
from corollary.logic.errors import CorollaryError

WIDTH, HEADS, LAYERS, TOKENS, LONGEST = 8, 2, 2, 30, 12
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "bird", "fish", "sings", "swims", "in", "trees"]


def weights_by_chance(seed=0):
    random = np.random.default_rng(seed)
    shapes = {
        "embeddings.word_embeddings.weight": (TOKENS, WIDTH),
        "embeddings.position_embeddings.weight": (LONGEST, WIDTH),
        "embeddings.token_type_embeddings.weight": (2, WIDTH),
        "embeddings.LayerNorm.weight": (WIDTH,),
        "embeddings.LayerNorm.bias": (WIDTH,),
    }
    for layer in range(LAYERS):
        at = f"encoder.layer.{layer}"
        dense = {
            f"{at}.attention.self.{part}": (WIDTH, WIDTH) for part in ("query", "key", "value")
        }
        dense |= {
            f"{at}.attention.output.dense": (WIDTH, WIDTH),
            f"{at}.intermediate.dense": (2 * WIDTH, WIDTH),
            f"{at}.output.dense": (WIDTH, 2 * WIDTH),
        }
        for name, shape in dense.items():
            shapes[f"{name}.weight"], shapes[f"{name}.bias"] = shape, shape[:1]
        for name in (f"{at}.attention.output.LayerNorm", f"{at}.output.LayerNorm"):
            shapes[f"{name}.weight"] = shapes[f"{name}.bias"] = (WIDTH,)
    return {name: random.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


def naive(weights, ids, epsilon):
    """What BERT makes of one text, from its definition."""
    w = {name: values.astype(float) for name, values in weights.items()}

    def normed(at, row):
        row = (row - row.mean()) / math.sqrt(row.var() + epsilon)
        return row * w[f"{at}.weight"] + w[f"{at}.bias"]

    def dense(at, row):
        return w[f"{at}.weight"] @ row + w[f"{at}.bias"]

    rows = [
        normed(
            "embeddings.LayerNorm",
            w["embeddings.word_embeddings.weight"][token]
            + w["embeddings.position_embeddings.weight"][place]
            + w["embeddings.token_type_embeddings.weight"][0],
        )
        for place, token in enumerate(ids)
    ]
    for layer in range(LAYERS):
        at = f"encoder.layer.{layer}"
        query, key, value = (
            [dense(f"{at}.attention.self.{part}", row) for row in rows]
            for part in ("query", "key", "value")
        )
        seen = []
        for q in query:
            heads = []
            for head in np.split(np.arange(WIDTH), HEADS):
                score = [math.exp(q[head] @ k[head] / math.sqrt(len(head))) for k in key]
                heads.append(
                    sum(s * v[head] for s, v in zip(score, value, strict=True)) / sum(score)
                )
            seen.append(np.concatenate(heads))
        rows = [
            normed(
                f"{at}.attention.output.LayerNorm", row + dense(f"{at}.attention.output.dense", s)
            )
            for row, s in zip(rows, seen, strict=True)
        ]
        inner = [dense(f"{at}.intermediate.dense", row) for row in rows]
        inner = [np.array([x * (1 + math.erf(x / math.sqrt(2))) / 2 for x in row]) for row in inner]
        rows = [
            normed(f"{at}.output.LayerNorm", row + dense(f"{at}.output.dense", i))
            for row, i in zip(rows, inner, strict=True)
        ]
    return np.mean(rows, axis=0)


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of tiny random weights in place of the real one."""
    save_file = pytest.importorskip("safetensors.numpy").save_file
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    home = tmp_path / "model"
    home.mkdir()
    save_file(weights_by_chance(), home / "model.safetensors")
    made = Tokenizer(models.WordLevel({word: n for n, word in enumerate(WORDS)}, "[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    made.save(str(home / "tokenizer.json"))
    config = {"num_attention_heads": HEADS, "layer_norm_eps": 1e-12}
    (home / "config.json").write_text(json.dumps(config))
    (home / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": LONGEST}))
    spec = ModuleSpec("tiny", None, origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(sentences, "find_spec", lambda _: spec)
    monkeypatch.setattr(sentences, "version", lambda _: "0")
    sentences._files.cache_clear()
    yield home
    sentences._files.cache_clear()


@pytest.mark.parametrize("tokens", [1, 2, 5, LONGEST])
def test_vectors_are_those_of_the_definition(tokens):
    weights = weights_by_chance(tokens)
    ids = np.random.default_rng(tokens).integers(0, TOKENS, (3, tokens))
    found = Transformer(weights, heads=HEADS, epsilon=1e-12).encode(ids)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, [naive(weights, row, 1e-12) for row in ids], atol=2e-5)


def test_gelu_is_the_one_with_the_error_function():
    x = np.linspace(-12, 12, 4_001, dtype=np.float32)
    exact = [v * (1 + math.erf(v / math.sqrt(2))) / 2 for v in x.astype(float)]
    np.testing.assert_allclose(gelu(x), exact, rtol=1e-6, atol=1e-6)


def test_each_text_by_itself_whatever_is_beside_it(package, monkeypatch):
    texts = ["a bird sings", "", "a fish", "a bird sings in trees", "  ", "a bird sings"]
    found = make_encoder("sentences").encode(texts)
    assert found.shape == (6, WIDTH)
    assert not found[[1, 4]].any()
    weights = weights_by_chance()
    for row, text in zip(found, texts, strict=True):
        if text.strip():
            ids = [2, *(WORDS.index(word) for word in text.split()), 3]
            np.testing.assert_allclose(row, naive(weights, ids, 1e-12), atol=2e-5)
    monkeypatch.setattr(sentences, "TOGETHER", 1)
    np.testing.assert_allclose(Sentences().encode(texts), found, atol=1e-5)
    assert Sentences().encode([]).shape == (0, WIDTH)


def test_of_a_long_text_the_beginning_is_read(package):
    long = " ".join(["bird"] * 50)
    found = Encoding(Sentences()).of([long, " ".join(["bird"] * (LONGEST - 2))])
    np.testing.assert_allclose(found[0], found[1], atol=1e-6)


def test_a_package_without_a_file_is_named(package):
    (package / "config.json").unlink()
    with pytest.raises(CorollaryError, match=r"has no model/config.json; install another: pip"):
        Sentences()


def test_without_the_package_or_what_reads_it_the_extra_is_named(package, monkeypatch):
    monkeypatch.setattr(sentences, "find_spec", lambda _: None)
    with pytest.raises(CorollaryError, match=r"pip install 'corollary\[sentences\]'"):
        Sentences()
    monkeypatch.delitem(sys.modules, "tokenizers", raising=False)
    real = builtins.__import__

    def without(name, *args, **options):
        if name == "tokenizers":
            raise ModuleNotFoundError(name=name)
        return real(name, *args, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(CorollaryError, match=r"pip install 'corollary\[sentences\]'"):
        Sentences()
