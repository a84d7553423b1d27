"""A cluster of our own runs work of this process only, and nothing that lies in the working folder."""

from __future__ import annotations

import os
import subprocess
import sys
import urllib.error
import urllib.request

import pytest

from corollary.scale.cluster import SAFE_PATH, Cluster

distributed = pytest.importorskip(
    "distributed", reason="pools are computed on Dask: pip install 'corollary[dask]'"
)

COMPUTE = """
from corollary.scale.cluster import Cluster
cluster = Cluster(workers=1)
print(cluster.client.submit(abs, -7).result())
cluster.close()
"""


def test_workers_import_nothing_from_the_working_folder(tmp_path):
    for name in ("pickle", "multiprocessing", "distributed"):
        (tmp_path / f"{name}.py").write_text("open('it ran', 'w').close()")
    env = {name: value for name, value in os.environ.items() if name != SAFE_PATH}
    command = [sys.executable, "-P", "-c", COMPUTE]
    done = subprocess.run(
        command, check=False, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=120
    )
    assert not (tmp_path / "it ran").exists()
    assert (done.stdout, done.returncode) == ("7\n", 0), done.stderr


def test_nobody_else_can_send_work_to_our_workers_or_look_at_it(monkeypatch):
    monkeypatch.delenv(SAFE_PATH, raising=False)
    cluster = Cluster(workers=1)
    try:
        assert cluster.client.submit(abs, -7).result() == 7
        info = cluster.client.scheduler_info()
        for address in (info["address"], *info["workers"]):
            assert address.startswith("tls://127.0.0.1:")
        stranger = distributed.Security.temporary()
        for how in ({"security": stranger}, {}):
            address = info["address"] if how else info["address"].replace("tls", "tcp")
            with pytest.raises(OSError, match="certificate|reset|Timed out"):
                distributed.Client(address, timeout=2, set_as_default=False, **how)
        port = cluster.client.cluster.scheduler.http_server.port
        for page in ("status", "health", "info/main/workers.html", "json/identity.json", "metrics"):
            with pytest.raises(urllib.error.HTTPError, match="404"):
                urllib.request.urlopen(f"http://127.0.0.1:{port}/{page}", timeout=5)
    finally:
        cluster.close()
    assert SAFE_PATH not in os.environ
