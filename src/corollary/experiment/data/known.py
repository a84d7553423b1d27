"""The known data sets: what each must contain, how the paper split it, and where its files are."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path

from ...logic.errors import CorollaryError
from . import classes, classics, clinc, hierarchies, nell, things
from .contents import Contents
from .downloads import ORIGINALS, cache_folder

VARIABLE = "COROLLARY_DATA"
#: What comes with the package, looked for after all other places: a file of the user's own goes first.
PACKAGED = dict.fromkeys(classics.NAMES, classics.FOLDER) | {"things": things.FOLDER}


@dataclass(frozen=True)
class Known:
    """What a data set must contain, and how many of its rows are for training."""

    folder: str
    #: Lists of files, any of which makes the data set complete.
    files: tuple[tuple[str, ...], ...]
    read: Callable[[Path], Contents]
    rows: int
    #: How many features; 0 where the items are texts.
    features: int
    labels: int
    constraints: int
    train: int
    about: str
    #: Whether a random split must have a positive of every label in the training part.
    covering: bool = True


#: Rows, features, labels, constraints.
Sizes = tuple[int, int, int, int]


def _classes(name: str, about: str, *, features: int, train: int) -> Known:
    rows = classes.CLASSES[name]
    files = ((f"{name}.parquet",), (classics.file_of(name),), classes.LIBSVM_FILES[name])
    sizes = (sum(rows.values()), features, len(rows), 1)
    return Known(name, files, partial(classes.read, name=name), *sizes, train, about)


def _nell(read: Callable[[Path], Contents], about: str, sizes: Sizes, *, train: int) -> Known:
    return Known("nell_995", (nell.FILES,), read, *sizes, train, about)


def _hierarchy(name: str, about: str, sizes: Sizes, *, train: int) -> Known:
    files = ((f"{name}.parquet", "labels.txt.gz", "hierarchy.tsv.gz"),)
    return Known(
        name, files, partial(hierarchies.read, name=name), *sizes, train, about, covering=False
    )


#: Sizes as in Table 1 of the paper where the data allow. It has none for iris: here 70 to 30, as
#: for satimage.
KNOWN: dict[str, Known] = {
    "iris": _classes("iris", "flowers", features=4, train=105),
    "vowel": _classes("vowel", "spoken vowels", features=10, train=528),
    "satimage": _classes("satimage", "soil from above", features=36, train=3104),
    "shuttle": _classes("shuttle", "space shuttle states", features=9, train=30450),
    "segment": _classes("segment", "outdoor images", features=19, train=400),
    "pendigits": _classes("pendigits", "digits by pen", features=16, train=7494),
    "letter": _classes("letter", "printed letters", features=16, train=15000),
    "nell-7": _nell(nell.read_7, "noun phrases, rebuilt", (6871, 17257, 7, 1), train=214),
    "nell-11": _nell(nell.read_11, "noun phrases, rebuilt", (6871, 17257, 11, 5), train=242),
    "nell-11-words": _nell(
        nell.read_11_words, "the same, words and letters alone", (6871, 12832, 11, 5), train=242
    ),
    "nell-13": _nell(
        nell.read_13, "rebuilt, constraints conjectured", (17454, 28850, 13, 11), train=2656
    ),
    "hmc_imclef07d": _hierarchy("hmc_imclef07d", "X-ray images", (11006, 80, 46, 51), train=10000),
    "hmc_diatoms": _hierarchy("hmc_diatoms", "algae", (3119, 371, 398, 357), train=2065),
    "hmc_enron": _hierarchy("hmc_enron", "e-mails", (1648, 1001, 56, 53), train=988),
    "hmc_cellcycle_fun": _hierarchy(
        "hmc_cellcycle_fun", "yeast genes", (3757, 77, 499, 481), train=2476
    ),
    "hmc_cellcycle_go": _hierarchy(
        "hmc_cellcycle_go", "yeast genes", (3751, 77, 4125, 5824), train=2473
    ),
    "clinc150": Known(
        "clinc150", (clinc.FILES,), clinc.read, 23700, 0, 160, 21, 18200, "customer queries"
    ),
    "things": Known(
        "things", (things.FILES,), things.read, 488, 0, 30, 27, 244, "things of the world"
    ),
}


def read(name: str, place: Path) -> Contents:
    """The contents of a known data set, or an error if the files have other sizes than it."""
    known = KNOWN[name]
    contents = known.read(place)
    features = 0 if contents.X.ndim == 1 else contents.X.shape[1]
    sizes = (len(contents.Y), features, len(contents.onto), len(contents.onto.constraints))
    for what, found, expected in zip(
        ("rows", "features", "labels", "constraints"),
        sizes,
        (known.rows, known.features, known.labels, known.constraints),
        strict=True,
    ):
        if found != expected:
            raise CorollaryError(
                f"{place} is damaged or another version: {name} has {expected:,} {what}, this has {found:,}"
            )
    if contents.official is not None and (n := int(contents.official.sum())) != known.train:
        raise CorollaryError(
            f"{place} is damaged: {name} has {known.train:,} official training rows, this has {n:,}"
        )
    return contents


def find(name: str, *, folder: str | PathLike[str] | None = None) -> Path:
    """The folder with the files of a known data set, or an error that says how to get them."""
    places = folders() if folder is None else [Path(folder)]
    place = search(name, places)
    if (
        folder is not None
        and place == PACKAGED.get(name)
        and (Path(folder) / KNOWN[name].folder).exists()
    ):
        place = None  # the folder given has a part of it, which is an error
    if place is None:
        where = "; ".join(map(str, places))
        raise CorollaryError(
            f"the data set {name} was not found (looked in {where}); {how_to_get(name)}"
        )
    return place


def find_files(
    name: str, files: Iterable[str], *, folder: str | PathLike[str] | None = None
) -> Path:
    """The folder of a data set with pairs, or an error that says where it was looked for."""
    places = folders() if folder is None else [Path(folder)]
    for place in (base / name for base in places):
        if all((place / file).exists() for file in files):
            return place
    where = "; ".join(map(str, places))
    raise CorollaryError(
        f"the data set {name} was not found (looked in {where}); "
        f"set {VARIABLE} to a folder with {name}/"
    )


def search(name: str, places: Iterable[Path]) -> Path | None:
    """The first folder that has all files of a known data set; where none has, that of the package."""
    for place in (base / KNOWN[name].folder for base in places):
        if any(
            all(classes.original(place, file).exists() for file in files)
            for files in KNOWN[name].files
        ):
            return place
    return PACKAGED.get(name)


def how_to_get(name: str) -> str:
    """What to do to have a known data set."""
    if name in ORIGINALS:
        return f"to get it: corollary datasets fetch {name}"
    return f"no public download in this form: set {VARIABLE} to a folder with {KNOWN[name].folder}/"


def folders() -> list[Path]:
    """Where data sets may be, first choice first."""
    folders = []
    if named := os.environ.get(VARIABLE):
        if not Path(named).is_dir():
            raise CorollaryError(f"{VARIABLE} is set to {named}, which is no folder")
        folders.append(Path(named))
    package = Path(__file__).parents[2]
    if package.parent.name == "src":  # a checkout: the data lie beside it
        folders.append(package.parents[2] / "shared" / "datasets")
    if (cache := cache_folder()) is not None:
        folders.append(cache)
    return folders
