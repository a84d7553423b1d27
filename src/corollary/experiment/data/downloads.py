"""Public originals of the known data sets: where they are, and fetching them with a check of every byte."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ...logic.errors import CorollaryError, nearest
from .classes import LIBSVM_FILES
from .tables import needs

LIBSVM = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/multiclass/"
ATTEMPTS = 3
#: Seconds without a byte after which a connection counts as broken.
TIMEOUT = 30

#: Called while a file comes, with its name, the bytes so far, and all bytes if the server says so.
Progress = Callable[[str, int, int | None], None]


class DownloadError(CorollaryError):
    """A file that could not be fetched, or that is not what it should be."""


@dataclass(frozen=True)
class Original:
    """A file at its public home; the checksum is None where we do not know it."""

    url: str
    sha256: str | None = None

    @property
    def file(self) -> str:
        return self.url.rpartition("/")[2]


#: The checksums of LIBSVM's files are not published and we had no access to compute them: they are trusted on first
#: use, after a check of their content, and held to from then on.
ORIGINALS: Mapping[str, tuple[Original, ...]] = {
    name: tuple(Original(LIBSVM + file) for file in files) for name, files in LIBSVM_FILES.items()
}


def cache_folder() -> Path | None:
    """Where downloads are kept, or None where the package that fetches them is not installed."""
    try:
        pooch = needs("pooch", extra="data")
    except CorollaryError:
        return None
    return Path(pooch.os_cache("corollary")) / "datasets"


def fetch(
    name: str,
    *,
    check: Callable[[Path], object],
    tell: Callable[[str], None],
    progress: Progress | None = None,
    folder: Path | None = None,
    originals: Mapping[str, tuple[Original, ...]] = ORIGINALS,
    pause: float = 1.0,
) -> Path:
    """Fetch the originals of a data set into `folder`/`name` and return that folder.

    Files that are there and intact are not fetched. A file with a known checksum must have it. For
    any other, the checksum is shown, and stored once `check` has read the data set without an
    error. From then on the file must have that one.
    """
    if name not in originals:
        raise DownloadError(
            f"there is no public download of {name!r}{nearest(name, originals)}; there is of {', '.join(originals)}"
        )
    needs("pooch", extra="data")
    base = folder or cache_folder()
    assert base is not None  # pooch is there
    place = base / name
    new = [
        original
        for original in originals[name]
        if _fetch_file(original, place, tell, progress, pause)
    ]
    try:
        check(place)
    except CorollaryError as error:
        for original in new:
            (place / original.file).unlink()
        gone = "it was removed" if new else f"remove {place} and fetch it again"
        raise DownloadError(f"what was fetched is not {name}: {error}; {gone}") from error
    for original in new:
        _remember(original, place, tell)
    return place


def _fetch_file(
    original: Original,
    place: Path,
    tell: Callable[[str], None],
    progress: Progress | None,
    pause: float,
) -> bool:
    """Put a file in its place; whether its content must be checked, because it is new or has no checksum yet."""
    path = place / original.file
    expected = original.sha256 or _stored(path)
    if path.exists():
        if expected is None:  # an earlier run ended before the check
            return True
        if _sha256(path) == expected:
            return False
        tell(f"{original.file}: the copy in {place} is damaged; fetching it again")
    for attempt in range(1, ATTEMPTS + 1):
        try:
            _retrieve(original, path, expected, progress)
            break
        except _Broken as error:
            if attempt == ATTEMPTS:
                raise DownloadError(
                    f"{original.url} could not be fetched in {ATTEMPTS} attempts: {error}; check the connection and "
                    "run it again (files that are complete are kept)"
                ) from error
            tell(f"{original.file}: {error}; trying again")
            time.sleep(pause * attempt)
    return True


class _Broken(Exception):
    """A connection or a server that failed: worth another attempt."""


def _retrieve(
    original: Original, path: Path, expected: str | None, progress: Progress | None
) -> None:
    """One attempt through pooch: to a temporary file, moved into place once it is complete and has its checksum."""
    pooch = needs("pooch", extra="data")
    requests = needs("requests", extra="data")
    pooch.get_logger().setLevel("WARNING")
    bar = _Bar(original.file, progress) if progress else False
    downloader = pooch.HTTPDownloader(timeout=TIMEOUT, progressbar=bar)
    known = f"sha256:{expected}" if expected else None
    try:
        pooch.retrieve(
            original.url, known_hash=known, fname=path.name, path=path.parent, downloader=downloader
        )
    except requests.HTTPError as error:
        error.response.close()  # the error would hold the connection open
        if error.response.status_code >= 500:
            raise _Broken(f"the server failed ({error})") from error
        raise DownloadError(f"{original.url} cannot be had: {error}") from error
    except requests.RequestException as error:
        reason = next(
            (cause.reason for cause in error.args if hasattr(cause, "reason")), error
        )  # urllib3 wraps it
        raise _Broken(f"the connection failed ({reason})") from error
    except ValueError as error:  # pooch's word for a wrong checksum; it keeps nothing
        which = (
            "the one we know"
            if original.sha256
            else f"that of the first download, in {_beside(path)}"
        )
        raise DownloadError(
            f"{original.url} does not have its checksum ({which}): {error}"
        ) from error
    except OSError as error:
        raise DownloadError(f"{path} cannot be written: {error.strerror or error}") from error


class _Bar:
    """What pooch calls a progress bar, passed on to ours."""

    def __init__(self, file: str, progress: Progress):
        self.file = file
        self.progress = progress
        self.total = self.done = 0

    def update(self, n: int) -> None:
        self.done = min(self.done + n, self.total) if self.total else self.done + n
        self.progress(self.file, self.done, self.total or None)

    def reset(self) -> None:
        self.done = 0

    def close(self) -> None:
        pass


def _remember(original: Original, place: Path, tell: Callable[[str], None]) -> None:
    """Store the checksum of a file that came without a known one."""
    path = place / original.file
    if original.sha256 is None and _stored(path) is None:
        found = _sha256(path)
        tell(
            f"{original.file}: sha256 {found} (not known to us beforehand; from now on it must be this one)"
        )
        _beside(path).write_text(f"{found}  {path.name}\n", encoding="ascii")


def _beside(path: Path) -> Path:
    return path.with_name(path.name + ".sha256")


def _stored(path: Path) -> str | None:
    """The checksum that was stored beside a file when it was first fetched."""
    if not _beside(path).exists():
        return None
    words = _beside(path).read_text(encoding="ascii", errors="replace").split()
    if not words or len(words[0]) != 64:
        raise DownloadError(
            f"{_beside(path)} holds no sha256 checksum; remove it to trust the file anew"
        )
    return words[0]


def _sha256(path: Path) -> str:
    from hashlib import file_digest

    with path.open("rb") as stream:
        return file_digest(stream, "sha256").hexdigest()
