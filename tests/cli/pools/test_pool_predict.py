"""`corollary pool predict`: a legal labelling of every item, in parts."""

from __future__ import annotations

from pyarrow import parquet


def test_every_item_gets_a_legal_labelling(pooled, folder, zoo, onto, tmp_path):
    target = tmp_path / "predicted"
    result = pooled("predict", folder, target, "--ontology", zoo, "--probabilities")
    assert f"{target}: 60 items" in result.stdout
    table = parquet.read_table(target)
    assert table.column_names == ["id", "labels", "origin", "probability", "risk", "probabilities"]
    assert table.num_rows == 60
    for labels in table["labels"].to_pylist():
        onto.propagate({label: label in labels for label in onto.labels})


def test_a_forecast_is_told_on_request(pooled, folder, zoo, tmp_path):
    result = pooled("predict", folder, tmp_path / "one", "--ontology", zoo, "--forecast")
    assert result.exit_code == 0
    assert "of the items are right" in result.stdout
    assert "; if the model's probabilities are right" in result.stdout


def test_a_folder_of_another_run_is_refused(pooled, folder, zoo, tmp_path):
    target = tmp_path / "predicted"
    assert pooled("predict", folder, target, "--ontology", zoo).exit_code == 0
    assert pooled("predict", folder, target, "--ontology", zoo).exit_code == 0
    zoo.write_text(zoo.read_text(encoding="utf-8") + "exclusive: flies, city\n", encoding="utf-8")
    result = pooled("predict", folder, target, "--ontology", zoo)
    assert result.exit_code == 2
    assert "name another folder, or remove this one" in result.stderr
