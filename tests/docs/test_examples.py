"""Every example of README.md and of the documentation runs, in the order of its page, as a reader would run it."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from contextlib import contextmanager, nullcontext
from importlib.util import find_spec

import pytest

import corollary

from .pages import PAGES, ROOT, Reader, blocks

pytestmark = pytest.mark.slow

#: What a page's examples stand on, where the page itself does not make it.
GIVEN = {
    "docs/stopping.md": """
import corollary as co
from sklearn.datasets import load_iris
data = load_iris()
onto = co.Ontology(data.target_names, [co.exclusive(*data.target_names)])
session = co.Session(onto, data.data, asking=co.Asking(share_at_random=0.05))
for _ in range(12):
    question = session.ask()[0]
    session.answer(question, bool(data.target_names[data.target[question.item]] == question.label))
session.retrain()
""",
}


#: Pages whose examples are computed on Dask.
ON_DASK = ("docs/howto/large.md",)


@contextmanager
def workers(monkeypatch):
    """A Dask cluster in this process, which starts at once."""
    distributed = pytest.importorskip("distributed")
    with distributed.Client(
        processes=False,
        n_workers=1,
        threads_per_worker=1,
        dashboard_address="127.0.0.1:0",
        set_as_default=False,
    ) as client:
        monkeypatch.setenv("COROLLARY_CLUSTER", client.scheduler.address)
        yield


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_examples_of(page, tmp_path, monkeypatch):
    name = str(page.relative_to(ROOT))
    found = blocks(page.read_text(encoding="utf-8"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    reader = Reader(name)
    exec(GIVEN.get(name, ""), reader.names)
    with workers(monkeypatch) if name in ON_DASK else nullcontext():
        reader.follow(found)
    assert reader.ran or not any(
        block.language == "python" and not block.not_run for block in found
    )


def test_examples_in_docstrings():
    for module in pkgutil.walk_packages(corollary.__path__, "corollary."):
        if module.name.endswith("__main__") or (
            module.name == "corollary.torch" and not find_spec("torch")
        ):
            continue
        result = doctest.testmod(importlib.import_module(module.name))
        assert result.failed == 0, module.name
