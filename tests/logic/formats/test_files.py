"""Files of any format: missing, empty, damaged, too large; and written whole or not at all."""

from __future__ import annotations

import gzip
import stat
import sys

import pytest

from corollary.logic.errors import FormatError
from corollary.logic.formats import MAX_BYTES, SUFFIXES, read, write

from .some_documents import ANIMALS, TREE


def test_writing_is_all_or_nothing(tmp_path, monkeypatch):
    path = tmp_path / "x.onto"
    path.write_text("a > b\n")
    path.chmod(0o640)

    def full(_descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(FormatError, match="cannot be written: No space left"):
        write(ANIMALS, path)
    assert path.read_text() == "a > b\n"
    assert [p.name for p in tmp_path.iterdir()] == ["x.onto"]
    monkeypatch.undo()
    write(ANIMALS, path)
    assert read(path) == ANIMALS
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert [p.name for p in tmp_path.iterdir()] == ["x.onto"]


def test_writing_where_there_is_no_folder(tmp_path):
    with pytest.raises(FormatError, match="cannot be written: No such file or directory"):
        write(ANIMALS, tmp_path / "no" / "x.onto")
    with pytest.raises(FormatError, match="cannot be written: Is a directory"):
        (tmp_path / "d.onto").mkdir()
        write(ANIMALS, tmp_path / "d.onto")
    assert [p.name for p in tmp_path.iterdir()] == ["d.onto"]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_no_file(tmp_path, suffix):
    with pytest.raises(FormatError, match="does not exist"):
        read(tmp_path / f"x{suffix}")
    with pytest.raises(FormatError, match="does not exist"):
        read(tmp_path / f"x{suffix}.gz")
    (tmp_path / f"d{suffix}").mkdir()
    with pytest.raises(FormatError, match="is a folder"):
        read(tmp_path / f"d{suffix}")


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("content", [b"", b" \n\n"])
def test_empty_file(tmp_path, suffix, content):
    (tmp_path / f"x{suffix}").write_bytes(content)
    (tmp_path / f"x{suffix}.gz").write_bytes(gzip.compress(content))
    for ending in ("", ".gz"):
        with pytest.raises(FormatError, match=rf"x{suffix}{ending} is empty"):
            read(tmp_path / f"x{suffix}{ending}")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_wrong_encoding_names_the_byte(tmp_path, suffix):
    path = tmp_path / f"x{suffix}"
    path.write_bytes(b"<a> # caf\xc3\xa9\n\xe9 > b\n")
    with pytest.raises(FormatError, match=r"not UTF-8 text: byte 0xe9 at offset 12 \(line 2\)"):
        read(path)
    path.write_bytes(b"\xef\xbb\xbf<a>\n\xe9 > b\n")
    with pytest.raises(FormatError, match=r"not UTF-8 text: byte 0xe9 at offset 7 \(line 2\)"):
        read(path)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_nul_bytes(tmp_path, suffix):
    path = tmp_path / f"x{suffix}"
    path.write_bytes(b"<a> > b\n\0c > d\n")
    with pytest.raises(FormatError, match=r"NUL byte at offset 8 \(line 2\)"):
        read(path)


def test_a_truncated_gzip_file(tmp_path):
    path = tmp_path / "x.onto.gz"
    whole = gzip.compress(b"".join(b"a%d > b%d\n" % (k, k) for k in range(1000)))
    for cut in (15, len(whole) // 2, len(whole) - 4):
        path.write_bytes(whole[:cut])
        with pytest.raises(FormatError, match=r"x.onto.gz is truncated"):
            read(path)
    path.write_bytes(b"a > b\n")
    with pytest.raises(FormatError, match="not a good gzip file"):
        read(path)
    path.write_bytes(whole[:20] + b"\xff" * 20 + whole[40:])
    with pytest.raises(FormatError, match="not a good gzip file"):
        read(path)


@pytest.mark.slow
def test_the_limit_is_on_the_decompressed_size(tmp_path):
    path = tmp_path / "bomb.onto.gz"
    with gzip.open(path, "wb", compresslevel=9) as stream:
        for _ in range(MAX_BYTES // 2**24 + 1):
            stream.write(b"#" * 2**24)
    assert path.stat().st_size < MAX_BYTES / 500
    with pytest.raises(FormatError, match="more than 268,435,456 bytes"):
        read(path)


def test_the_limit_can_be_set(tmp_path):
    path = tmp_path / "x.onto"
    path.write_text("a > b\n")
    assert read(path, max_bytes=6).labels == ("a", "b")
    with pytest.raises(FormatError, match="more than 5 bytes; .* larger max_bytes"):
        read(path, max_bytes=5)


@pytest.mark.parametrize(
    ("suffix", "package"), [(".owl", "rdflib"), (".ttl", "rdflib"), (".obo", "fastobo")]
)
def test_a_missing_package_is_named_with_its_extra(tmp_path, monkeypatch, suffix, package):
    path = tmp_path / f"x{suffix}"
    write(TREE, path)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(
        FormatError, match=rf"needs the package {package}: pip install corollary\[formats\]"
    ):
        read(path)
    with pytest.raises(
        FormatError, match=rf"needs the package {package}: pip install corollary\[formats\]"
    ):
        write(TREE, path)
