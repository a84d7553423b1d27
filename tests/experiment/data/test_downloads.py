"""Fetching public originals, from a server on this machine that does not always behave."""

from __future__ import annotations

import bz2
import hashlib
from functools import partial

import numpy as np
import pytest

from corollary import CorollaryError
from corollary.experiment.data import downloads, known
from corollary.experiment.data.classes import LIBSVM_FILES
from corollary.experiment.data.datasets import load_dataset
from corollary.experiment.data.downloads import ORIGINALS, DownloadError, Original, fetch

from ...real_data import DATA, each
from ..served import home, libsvm, made_up_iris, made_up_vowel


@pytest.fixture
def served():
    with home() as state:
        state.files["iris.scale"] = made_up_iris()
        state.files |= made_up_vowel()
        yield state


@pytest.fixture
def get(served, tmp_path):
    """Fetch from the server, without pauses; the lines that were told are in `get.told`."""

    def run(name, *, sha256=None, files=None, **options):
        files = files or LIBSVM_FILES[name]
        run.told.clear()
        return fetch(
            name,
            originals={name: tuple(Original(served.url + file, sha256) for file in files)},
            folder=tmp_path / "cache",
            check=options.pop("check", partial(known.read, name)),
            tell=run.told.append,
            pause=0,
            **options,
        )

    run.told = []
    return run


def sha(data):
    return hashlib.sha256(data).hexdigest()


def files_in(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_fetched_set_is_loaded(get, served, tmp_path):
    assert get("iris") == tmp_path / "cache" / "iris"
    assert get("vowel") == tmp_path / "cache" / "vowel"
    iris, vowel = (load_dataset(name, folder=tmp_path / "cache") for name in ("iris", "vowel"))
    assert iris.X.shape == (150, 4)
    assert iris.Y.sum(axis=0).tolist() == [50, 50, 50]
    assert (vowel.train.sum(), vowel.test.sum()) == (528, 462)
    assert vowel.train[:528].all()
    np.testing.assert_array_equal(vowel.Y[:528].argmax(axis=1), np.arange(528) % 11)
    assert vowel.labels[0] == "hid"
    np.testing.assert_allclose([iris.X.min(axis=0), iris.X.max(axis=0)], [[-1] * 4, [1] * 4])


def test_the_second_time_nothing_is_requested(get, served):
    get("vowel")
    assert served.requests == ["vowel.scale", "vowel.scale.t"]
    get("vowel")
    assert len(served.requests) == 2
    assert get.told == []


def test_an_unknown_checksum_is_told_stored_and_held_to(get, served, tmp_path):
    get("iris")
    (line,) = get.told
    assert sha(made_up_iris()) in line
    assert "not known to us beforehand" in line
    stored = tmp_path / "cache" / "iris" / "iris.scale.sha256"
    assert stored.read_text() == f"{sha(made_up_iris())}  iris.scale\n"

    (tmp_path / "cache" / "iris" / "iris.scale").unlink()
    served.files["iris.scale"] = made_up_iris(seed=1)
    with pytest.raises(DownloadError, match="that of the first download") as told:
        get("iris")
    assert sha(made_up_iris(seed=1)) in str(told.value)
    assert files_in(tmp_path / "cache" / "iris") == ["iris.scale.sha256"]


def test_a_known_checksum_that_is_wrong_keeps_nothing(get, served, tmp_path):
    with pytest.raises(DownloadError, match="does not have its checksum .the one we know.") as told:
        get("iris", sha256="0" * 64)
    assert sha(made_up_iris()) in str(told.value)
    assert files_in(tmp_path / "cache" / "iris") == []
    assert served.requests == ["iris.scale"]  # another attempt would not change it


def test_a_known_checksum_that_is_right_needs_no_words(get, tmp_path):
    get("iris", sha256=sha(made_up_iris()))
    assert get.told == []
    assert files_in(tmp_path / "cache" / "iris") == ["iris.scale"]


def test_a_damaged_copy_is_fetched_again(get, served, tmp_path):
    get("iris")
    path = tmp_path / "cache" / "iris" / "iris.scale"
    path.write_bytes(path.read_bytes()[:1000])
    get("iris")
    assert "damaged" in get.told[0]
    assert path.read_bytes() == made_up_iris()


def test_a_connection_that_breaks_is_tried_again(get, served, tmp_path):
    served.ways["iris.scale"] = ["cut", "failing"]
    get("iris")
    assert [line for line in get.told if "trying again" in line] == get.told[:2]
    assert "the connection failed" in get.told[0]
    assert "503" in get.told[1]
    assert (tmp_path / "cache" / "iris" / "iris.scale").read_bytes() == made_up_iris()


def test_a_connection_that_stays_broken_leaves_no_half_file(get, served, tmp_path):
    served.ways["vowel.scale.t"] = ["cut"] * 3
    with pytest.raises(DownloadError, match="in 3 attempts: the connection failed"):
        get("vowel")
    assert files_in(tmp_path / "cache" / "vowel") == ["vowel.scale"]
    with pytest.raises(CorollaryError, match="corollary datasets fetch vowel"):
        load_dataset("vowel", folder=tmp_path / "cache")

    served.requests.clear()
    get("vowel")  # goes on where it stopped
    assert served.requests == ["vowel.scale.t"]
    assert len(get.told) == 2  # the checksums of both: the first file had not been checked yet
    assert load_dataset("vowel", folder=tmp_path / "cache").X.shape == (990, 10)


def test_a_file_that_is_cut_without_a_sign_is_noticed_by_its_content(get, served, tmp_path):
    served.ways["iris.scale"] = ["silently cut"]
    with pytest.raises(DownloadError, match="what was fetched is not iris: .* it was removed"):
        get("iris")
    assert files_in(tmp_path / "cache" / "iris") == []
    get("iris")


def test_a_page_in_place_of_the_file_is_noticed(get, served, tmp_path):
    served.files["iris.scale"] = b"<html>please log in</html>\n"
    with pytest.raises(DownloadError, match="line 1: expected index:value, got 'log'"):
        get("iris")
    assert files_in(tmp_path / "cache" / "iris") == []


def test_a_file_that_is_not_there_is_not_asked_for_again(get, served, tmp_path):
    del served.files["iris.scale"]
    with pytest.raises(DownloadError, match="iris.scale cannot be had: 404"):
        get("iris")
    assert served.requests == ["iris.scale"]


def test_no_server_at_all(tmp_path):
    with home() as gone:
        pass
    originals = {"iris": (Original(gone.url + "iris.scale"),)}
    with pytest.raises(DownloadError, match="check the connection"):
        fetch("iris", originals=originals, folder=tmp_path, check=print, tell=[].append, pause=0)


def test_compressed_originals(get, served, tmp_path):
    served.files["iris.scale.bz2"] = bz2.compress(made_up_iris())
    get("iris", files=["iris.scale.bz2"])
    assert load_dataset("iris", folder=tmp_path / "cache").Y.sum() == 150

    damaged = tmp_path / "cache" / "iris" / "iris.scale.bz2"
    damaged.write_bytes(damaged.read_bytes()[:-40])
    with pytest.raises(CorollaryError, match="iris.scale.bz2 cannot be read, it may be damaged"):
        load_dataset("iris", folder=tmp_path / "cache")


def test_progress_ends_at_the_size_of_the_file(get):
    seen = []
    get("iris", progress=lambda *step: seen.append(step))
    assert seen[-1] == ("iris.scale", len(made_up_iris()), len(made_up_iris()))
    assert all(done <= total for _, done, total in seen)


def test_a_place_that_cannot_be_written(get, tmp_path):
    (tmp_path / "cache").write_text("a file where a folder should be")
    with pytest.raises(DownloadError, match="cannot be written"):
        get("iris")


def test_a_checksum_file_that_is_none(get, tmp_path):
    get("iris")
    (tmp_path / "cache" / "iris" / "iris.scale.sha256").write_text("hello")
    with pytest.raises(DownloadError, match="remove it to trust the file anew"):
        get("iris")


def test_unknown_names():
    with pytest.raises(DownloadError, match="did you mean 'iris'"):
        fetch("irsi", check=print, tell=print)


def test_without_pooch(monkeypatch, tmp_path):
    monkeypatch.setitem(__import__("sys").modules, "pooch", None)
    assert downloads.cache_folder() is None
    with pytest.raises(CorollaryError, match=r"pip install 'corollary\[data\]'"):
        fetch("iris", folder=tmp_path, check=print, tell=print)


def test_the_registry_names_every_file_once():
    urls = [original.url for files in ORIGINALS.values() for original in files]
    assert len(set(urls)) == len(urls) == 10
    assert all(
        url.startswith("https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/multiclass/")
        for url in urls
    )


@each(sorted(LIBSVM_FILES))
def test_the_originals_give_the_same_arrays_as_our_tables(name, tmp_path):
    ours = load_dataset(name, folder=DATA)
    place = tmp_path / name
    place.mkdir()
    parts = [ours.train, ours.test] if len(LIBSVM_FILES[name]) == 2 else [slice(None)]
    for file, rows in zip(LIBSVM_FILES[name], parts, strict=True):
        (place / file).write_bytes(libsvm(ours.X[rows], ours.Y[rows].argmax(axis=1) + 1))
    theirs = load_dataset(name, folder=tmp_path)
    np.testing.assert_allclose(theirs.X, ours.X, atol=1e-5)
    np.testing.assert_array_equal(theirs.Y, ours.Y)
    np.testing.assert_array_equal(theirs.train, ours.train)
    assert theirs.onto == ours.onto
