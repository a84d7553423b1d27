"""Tables and sparse matrices from files: Parquet, CSV and libsvm, with errors that name the place."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import zlib
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from ...logic.errors import CorollaryError
from ...logic.language.constraints import first_repeated

#: From the first fields of all rows to the numbers of the rows that are wanted.
Choice = Callable[[list[str]], Iterable[int]]

OPENERS = {".gz": gzip.open, ".bz2": bz2.open}


def needs(module: str, *, extra: str) -> Any:
    """Import a package that is installed on request."""
    try:
        return import_module(module)
    except ImportError as error:
        name = module.partition(".")[0]
        raise CorollaryError(
            f"this needs the package {name}: pip install 'corollary[{extra}]'"
        ) from error


def read_bytes(path: Path) -> bytes:
    """The content of a file, decompressed if its name ends in .gz or .bz2."""
    opener: Any = OPENERS.get(path.suffix.lower(), open)
    try:
        with opener(path, "rb") as stream:
            data: bytes = stream.read()
    except FileNotFoundError:
        raise CorollaryError(f"{path} does not exist") from None
    except IsADirectoryError:
        raise CorollaryError(f"{path} is a folder; give a file") from None
    except (EOFError, OSError, zlib.error) as error:
        raise CorollaryError(f"{path} cannot be read, it may be damaged: {error}") from None
    if not data.strip():
        raise CorollaryError(f"{path} is empty")
    return data


def read_lines(path: Path) -> list[str]:
    """The lines of a text file."""
    try:
        return read_bytes(path).decode("utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise CorollaryError(f"{path} is not UTF-8 text: {error}") from None


def read_table(path: Path) -> Any:
    """A pandas frame from a Parquet file, or from a CSV or TSV file, which may end in .gz or .bz2."""
    pandas = needs("pandas", extra="tables")
    kind = suffix(path)
    try:
        if kind in (".parquet", ".pq"):
            needs("pyarrow", extra="tables")
            return _unique(pandas.read_parquet(io.BytesIO(read_bytes(path))), path)
        if kind in (".csv", ".tsv"):
            text = io.BytesIO(read_bytes(path))
            separator = "," if kind == ".csv" else "\t"
            first = text.readline().decode("utf-8-sig").rstrip("\r\n")
            text.seek(0)
            frame = pandas.read_csv(
                text, sep=separator, encoding="utf-8-sig", index_col=False, low_memory=False
            )
            _check_header(first, frame, path, separator)
            return frame
    except CorollaryError:
        raise
    except (ValueError, OSError, ArithmeticError, csv.Error) as error:
        raise CorollaryError(
            f"{path} is not a good {kind[1:]} file, it may be damaged: {error}"
        ) from None
    raise CorollaryError(
        f"{path} is neither .parquet, .csv, .tsv nor .libsvm; rename or convert it"
    )


def numbers(frame: Any, path: Path) -> npt.NDArray[np.float64]:
    """The columns of a frame as an array, nan where missing; an error names the column that is not numbers."""
    for column in frame.columns:
        values = frame[column]
        if values.dtype.kind not in "fiub":
            i = int(np.argmax(values.notna().to_numpy()))
            raise CorollaryError(
                f"the column {column!r} of {path} is not a number (row {i}: {values.iloc[i]!r}); turn it into numbers, "
                "or ignore it"
            )
    array: npt.NDArray[np.float64] = frame.to_numpy(np.float64, na_value=np.nan)
    return array


def suffix(path: Path) -> str:
    """What kind of file it is: its suffix, less one for compression."""
    name = path.with_suffix("") if path.suffix.lower() in OPENERS else path
    return name.suffix.lower()


def read_libsvm(
    path: Path,
    *,
    zero_based: bool | str = False,
    choose: Choice | None = None,
    n_features: int | None = None,
) -> tuple[list[str], Any]:
    """The first field of each line and the features as CSR; blank lines and what follows a # are not read.

    `choose` names, from the first fields of all rows, the rows whose features are wanted.
    """
    from sklearn.datasets import load_svmlight_file

    numbered = (
        (n, line.partition(b"#")[0].split(None, 1))
        for n, line in enumerate(read_bytes(path).splitlines(), 1)
    )
    rows = [
        (n, parts[0].decode("utf-8", "replace"), b"".join(parts[1:]))
        for n, parts in numbered
        if parts
    ]
    if not rows:
        raise CorollaryError(f"{path} has no rows")
    fields = [field for _, field, _ in rows]
    if choose is not None:
        rows = [rows[i] for i in choose(fields)]
    text = b"\n".join(b"0 " + pairs for _, _, pairs in rows)
    try:
        X, _ = load_svmlight_file(io.BytesIO(text), zero_based=zero_based, n_features=n_features)
    except (ValueError, OverflowError) as error:
        for number, _, pairs in rows:
            _check_pairs(pairs, f"{path}, line {number}", least=1 if zero_based is False else 0)
        raise CorollaryError(f"{path} is not a good libsvm file: {error}") from None
    return fields, sparse.csr_array(X)


def _check_pairs(pairs: bytes, where: str, *, least: int) -> None:
    """An error unless the pairs are all `index:value`, in rising order of the index."""
    last = least - 1
    for pair in pairs.split():
        try:
            index, value = pair.split(b":")
            at = int(index)
            _ = float(value)
        except ValueError:
            raise CorollaryError(
                f"{where}: expected index:value, got {pair.decode('utf-8', 'replace')!r}"
            ) from None
        if at <= last:
            wrong = (
                f"rise, got {at} after {last}" if last >= least else f"start from {least}, got {at}"
            )
            raise CorollaryError(f"{where}: the numbers of the features must {wrong}")
        last = at


def _unique(frame: Any, path: Path) -> Any:
    frame.columns = [str(column) for column in frame.columns]
    if not frame.columns.is_unique:
        raise CorollaryError(
            f"{path} has the column {frame.columns[frame.columns.duplicated()][0]!r} twice"
        )
    return frame


def _check_header(first: str, frame: Any, path: Path, separator: str) -> None:
    """Errors where pandas would have renamed a second column of one name, or taken the whole row for one column."""
    names = next(csv.reader([first], delimiter=separator), [])
    if (twice := first_repeated(names)) is not None:
        raise CorollaryError(f"{path} has the column {twice!r} twice")
    other = next((mark for mark in ",;\t|" if mark != separator and mark in first), None)
    if len(frame.columns) == 1 and other is not None:
        raise CorollaryError(
            f"{path} seems to separate its columns by {other!r}; a .csv has ',', a .tsv a tab"
        )
