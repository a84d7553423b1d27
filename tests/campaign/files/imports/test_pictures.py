"""Pictures of a folder, of a zip file and beside a table, and nowhere else."""

from __future__ import annotations

import io
import os
import zipfile

import pytest

from corollary.campaign.files.imports.imports import check_import, read_items
from corollary.campaign.files.imports.pictures import mime_of, zip_items
from corollary.logic.errors import CorollaryError

from ....fuzz.frame import within
from .refusals import ONTO, PNG, refused

GIF = b"GIF89a" + b"\0" * 20


def test_pictures_of_a_folder(write, tmp_path):
    for name, data in (
        ("p/b.png", PNG),
        ("p/a/x.gif", GIF),
        ("p/notes.txt", b"no"),
        ("p/.hidden", b"no"),
    ):
        write(name, data)
    found = check_import(tmp_path / "p", ONTO)
    assert [(item.id, item.image.mime, item.image.data) for item in found.items()] == [
        ("b.png", "image/png", PNG),
        ("a/x.gif", "image/gif", GIF),
    ]
    assert found.notes == [
        "1 files are not pictures and were left out; the first is notes.txt",
        "2 pictures, the first of item 'b.png', cannot be read and count as missing",
    ]


def test_pictures_of_a_zip_file(write, campaign):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("p/b.png", PNG)
        archive.writestr("a.gif", GIF)
    path = write("x.zip", packed.getvalue())
    items, facts = read_items(path, campaign)
    assert [(item.id, item.image.data) for item in items] == [("a.gif", GIF), ("p/b.png", PNG)]
    assert facts == []
    with pytest.raises(CorollaryError, match="holds 54 bytes, more than the limit of 53"):
        zip_items(path, limit=53)
    assert "not a good zip file" in refused(write("y.zip", "no"))
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("../../c.png", PNG)
    assert "the name '../../c.png' points outside the zip file" in refused(path)


def test_pictures_beside_a_table_and_nowhere_else(write, tmp_path):
    write("p/robin.png", PNG)
    write("secret.png", PNG)
    found = check_import(write("p/x.csv", "id,image\na,robin.png\nb,\n"), ONTO)
    assert [item.image and item.image.data for item in found.items()] == [PNG, None]
    for name, problem in (
        ("../secret.png", "is not below the table's folder"),
        (str(tmp_path / "secret.png"), "is not below the table's folder"),
        ("x.csv", "is not a picture"),
        ("none.png", "there is no picture 'none.png'"),
        ("https://example.org/a.png", "is an address"),
    ):
        text = refused(write("p/x.csv", f"id,image\na,{name}\n"))
        assert "line 2: column 'image'" in text
        assert problem in text
        assert "pass image='-'" in text


def test_kinds_of_pictures():
    assert mime_of(b"\xff\xd8\xff\xe0") == "image/jpeg"
    assert mime_of(b"RIFF\0\0\0\0WEBPVP8 ") == "image/webp"
    assert mime_of(b"\0\0\0\x1cftypavif") == "image/avif"
    assert mime_of(b"<svg onload='x'>") is None


@pytest.mark.parametrize(
    "name", ["x" * 300 + ".png", "a\\u0000b.png", "./" * 3000 + "x.png", "x\\ud800.png"]
)
def test_names_of_pictures_that_no_file_can_have(write, name):
    path = write("x.jsonl", f'{{"id": "a", "image": "{name}"}}\n')
    assert "there is no picture" in refused(path)


def test_pipes_and_links_to_nothing_are_no_pictures(write, tmp_path):
    folder = write("pictures/a.png", PNG).parent
    os.mkfifo(folder / "pipe.png")
    (folder / "gone.png").symlink_to(folder / "nothing")
    with within():
        found = check_import(folder, ONTO)
    assert (found.n_items, found.notes[0]) == (
        1,
        "2 files are not pictures and were left out; the first is gone.png",
    )


def test_two_pictures_of_one_name_in_a_zip_file(tmp_path):
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.png", PNG)
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("a.png", PNG)
    assert "2 pictures of this name" in refused(path)
