"""Options of the commands on pools: where labels come from, and which column is what."""

from __future__ import annotations

from corollary.cli.pools.pool_options import beside


def test_labels_come_from_a_file_or_a_campaign(pooled, folder, zoo, place, tmp_path):
    target = tmp_path / "q.csv"
    for told in ([], ["--ontology", zoo, "--campaign", place]):
        result = pooled("score", folder, target, *told)
        assert result.exit_code == 2
        assert "either --ontology FILE or --campaign CAMPAIGN" in result.stderr
    assert not target.exists()


def test_which_column_is_what_is_told_and_can_be_said(pooled, folder, zoo, tmp_path):
    result = pooled("score", folder, tmp_path / "q.csv", "--ontology", zoo, "--best", 3)
    assert (
        "60 items; id: id; vector: vector; labels: labels; not learnt from: title" in result.stdout
    )
    result = pooled(
        "score", folder, tmp_path / "q.csv", "--ontology", zoo, "--best", 3, "--text", "title"
    )
    assert "id: id; text: title; labels: labels; not learnt from: vector" in result.stdout
    result = pooled("score", folder, tmp_path / "q.csv", "--ontology", zoo, "--vector", "vectro")
    assert result.exit_code == 2
    assert "no column 'vectro' for the vector; did you mean 'vector'" in result.stderr


def test_a_campaign_brings_its_ontology_and_what_is_known(pooled, folder, place, tmp_path):
    result = pooled("score", folder, tmp_path / "q.csv", "--campaign", place, "--best", 3)
    assert result.exit_code == 0
    assert "Note: 2 of 2 items with facts are not in the pool" in result.stderr


def test_what_is_kept_is_beside_the_file(tmp_path):
    assert beside(tmp_path / "q.csv") == tmp_path / ".q.csv.parts"


def test_no_cluster_at_an_address_is_told(call, folder, zoo, tmp_path, monkeypatch):
    import dask

    with dask.config.set({"distributed.comm.timeouts.connect": "200ms"}):
        result = call(
            "pool",
            "score",
            folder,
            tmp_path / "q.csv",
            "--ontology",
            zoo,
            "--cluster",
            "tcp://127.0.0.1:9",
        )
    assert result.exit_code == 2
    assert "no Dask cluster answers at tcp://127.0.0.1:9" in result.stderr
