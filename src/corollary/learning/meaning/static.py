"""Static embeddings.

The mean of a text's token vectors, which come inside a wheel, so that no network is needed.

The vectors (256 numbers for each of 32,000 tokens, 16 MB) and the tokenizer come with the package
`wordllama` (MIT licence). They are made from a large language model's token embeddings. Only its
files are read.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from ...logic.errors import CorollaryError
from .encoders import Vectors

WEIGHTS = "weights/l2_supercat_256.safetensors"
TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
#: The number of characters read of a longer text: some ten pages.
LONGEST = 32_000
MISSING = "the encoder 'static' needs the extra `text`: pip install 'corollary[text]'"


class Static:
    """The mean of the vectors of a text's tokens; a text without tokens is 0."""

    def __init__(self) -> None:
        self._vectors, self._tokenizer, release = _files()
        self.name = f"static wordllama-{release}-l2-supercat-256"

    def encode(self, texts: Sequence[str], /) -> Vectors:
        """A row for each text."""
        read = self._tokenizer.encode_batch_fast(
            [text[:LONGEST] for text in texts], add_special_tokens=False
        )
        lengths = np.array([len(one.ids) for one in read])
        found = np.zeros((len(texts), self._vectors.shape[1]), np.float32)
        if lengths.any():
            tokens = np.concatenate([np.array(one.ids, np.int64) for one in read])
            there = np.flatnonzero(lengths)
            starts = np.cumsum(lengths[there]) - lengths[there]
            found[there] = (
                np.add.reduceat(self._vectors[tokens], starts, axis=0) / lengths[there, None]
            )
        return found


@cache
def _files() -> tuple[Vectors, Any, str]:
    """The vectors, the tokenizer, and the release they come from."""
    try:
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer
    except ModuleNotFoundError as missing:
        raise CorollaryError(MISSING) from missing
    spec = find_spec("wordllama")
    if spec is None or spec.origin is None:
        raise CorollaryError(MISSING)
    home = Path(spec.origin).parent
    for file in (WEIGHTS, TOKENIZER):
        if not (home / file).is_file():
            raise CorollaryError(
                f"the installed wordllama has no {file}; install another: pip install wordllama==0.4.0"
            )
    (vectors,) = load_file(home / WEIGHTS).values()
    tokenizer = Tokenizer.from_file(str(home / TOKENIZER))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return np.asarray(vectors, np.float32), tokenizer, version("wordllama")
