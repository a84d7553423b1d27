"""`corollary pool predict`: a legal labelling of every item, in parts."""

from __future__ import annotations

from pyarrow import parquet

from corollary.campaign.campaign import Campaign


def test_every_item_gets_a_legal_labelling(pooled, folder, zoo, onto, tmp_path):
    target = tmp_path / "predicted"
    result = pooled("predict", folder, target, "--ontology", zoo, "--probabilities")
    assert f"{target}: 60 items" in result.stdout
    table = parquet.read_table(target)
    assert table.column_names == ["id", "labels", "risk", "probabilities"]
    assert table.num_rows == 60
    for labels in table["labels"].to_pylist():
        onto.propagate({label: label in labels for label in onto.labels})


def test_a_forecast_is_told_with_how_far_models_were_right(call, pooled, folder, zoo, place, tmp_path):
    result = pooled("predict", folder, tmp_path / "one", "--ontology", zoo, "--forecast")
    assert result.exit_code == 0
    assert "of the items are right" in result.stdout
    assert "if the model is to be believed: no answer was held against it yet" in result.stdout
    with Campaign.open(place) as campaign:
        campaign.answer("lead", "carp", "fish", True)
    result = pooled("predict", folder, tmp_path / "two", "--campaign", place, "--forecast")
    assert result.exit_code == 0
    assert "of the items are right" in result.stdout
    assert "held against it" not in result.stdout


def test_a_folder_of_another_run_is_refused(pooled, folder, zoo, tmp_path):
    target = tmp_path / "predicted"
    assert pooled("predict", folder, target, "--ontology", zoo).exit_code == 0
    assert pooled("predict", folder, target, "--ontology", zoo).exit_code == 0
    zoo.write_text(zoo.read_text(encoding="utf-8") + "exclusive: flies, city\n", encoding="utf-8")
    result = pooled("predict", folder, target, "--ontology", zoo)
    assert result.exit_code == 2
    assert "name another folder, or remove this one" in result.stderr
