"""The things of the demo: every row legal, told apart and in plain lines, every label defined, and a model learns."""

from __future__ import annotations

import re
import shutil

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import corollary as co
from corollary.experiment.data.things import FILES, FOLDER, load, read
from corollary.experiment.metrics import weighted_auc
from corollary.learning.features.tables_and_text import default_features

THINGS = load()
ONTO = THINGS.onto


def labels_of(name):
    return {ONTO.labels[k] for k in np.flatnonzero(THINGS.Y[THINGS.names.index(name)])}


def test_the_size_of_the_world():
    assert 420 <= len(THINGS.names) == len(THINGS.descriptions) == len(THINGS.Y) <= 500
    assert 22 <= len(ONTO) <= 30
    assert THINGS.Y.dtype == np.int8
    assert set(np.unique(THINGS.Y)) == {0, 1}


def test_every_row_is_legal():
    np.testing.assert_array_equal(ONTO.propagate(THINGS.Y), THINGS.Y)


def test_every_row_is_legal_read_by_hand():
    divisions = {
        "Living": "Animal Plant",
        "Animal": "Vertebrate Insect",
        "Vertebrate": "Bird Mammal Fish Reptile",
        "Plant": "Tree Flower Fruit Vegetable",
        "Food": "Fruit Vegetable Dish Drink",
        "Place": "City Country River Mountain Structure",
        "Artefact": "Structure Vehicle Instrument Tool Clothing",
    }
    for name in THINGS.names:
        true = labels_of(name)
        for whole, parts in divisions.items():
            met = true & set(parts.split())
            assert len(met) <= 1, name
            assert not met or whole in true, name
        assert "Living" not in true or true & {"Animal", "Plant"}, name
        assert not true >= {"Place", "Artefact"} or "Structure" in true, name
        assert "Fish" not in true or "Aquatic" in true, name
        assert "Aquatic" not in true or "Living" in true, name
        assert "Pet" not in true or "Animal" in true, name
        assert "Flies" not in true or true & {"Bird", "Mammal", "Insect", "Vehicle"}, name


def test_every_thing_is_of_one_realm_and_food_and_structures_of_two():
    for name in THINGS.names:
        realms = {"Living", "Food", "Place", "Artefact"} & labels_of(name)
        assert realms, name
        if len(realms) > 1:
            assert realms in ({"Living", "Food"}, {"Place", "Artefact"}), name


def test_every_label_has_positives_to_learn_from():
    counts = dict(zip(ONTO.labels, THINGS.Y.sum(axis=0).tolist(), strict=True))
    assert min(counts.values()) >= 12, counts


def test_names_and_descriptions_are_different():
    assert len({name.casefold() for name in THINGS.names}) == len(THINGS.names)
    assert len({line.casefold() for line in THINGS.descriptions}) == len(THINGS.descriptions)
    assert list(THINGS.names) == sorted(THINGS.names, key=str.lower)


def test_descriptions_are_one_plain_line_that_does_not_give_the_name():
    for name, line in zip(THINGS.names, THINGS.descriptions, strict=True):
        assert 8 <= len(line.split()) <= 20, (name, line)
        assert line == line.strip(), (name, line)
        assert line.endswith("."), (name, line)
        assert "  " not in line, (name, line)
        assert line[0].isupper() or line[0].isdigit(), (name, line)
        assert name.lower() not in line.lower(), (name, line)


def test_few_descriptions_name_their_label():
    naming = [
        name
        for name, line in zip(THINGS.names, THINGS.descriptions, strict=True)
        if {word.lower() for word in labels_of(name)} & set(re.findall(r"\w+", line.lower()))
    ]
    assert len(naming) < 0.2 * len(THINGS.names), naming


def test_the_ontology_has_no_faults_and_is_exact():
    assert ONTO.lint() == []
    assert all(engine.guarantee == "exact" for engine in ONTO.engines)


def test_every_label_is_defined_and_has_a_question():
    assert tuple(THINGS.definitions) == tuple(THINGS.questions) == ONTO.labels
    assert len(set(THINGS.definitions.values())) == len(ONTO)
    for label in ONTO.labels:
        assert THINGS.definitions[label].endswith("."), label
        assert THINGS.questions[label].count("{item}") == 1, label
        assert label in THINGS.questions[label], label
        assert THINGS.questions[label].endswith("?"), label


@pytest.mark.parametrize(
    ("name", "labels"),
    [
        ("robin", "Living Animal Vertebrate Bird Flies"),
        ("emperor penguin", "Living Animal Vertebrate Bird Aquatic"),
        ("pipistrelle", "Living Animal Vertebrate Mammal Flies"),
        ("blue whale", "Living Animal Vertebrate Mammal Aquatic"),
        ("goldfish", "Living Animal Vertebrate Fish Aquatic Pet"),
        ("cod", "Living Animal Vertebrate Fish Aquatic Food"),
        ("cow", "Living Animal Vertebrate Mammal"),
        ("tomato", "Living Plant Food Vegetable"),
        ("basil", "Living Plant Food"),
        ("water lily", "Living Plant Flower Aquatic"),
        ("garden spider", "Living Animal"),
        ("pizza", "Food Dish"),
        ("Nile", "Place River"),
        ("Golden Gate Bridge", "Place Artefact Structure"),
        ("helicopter", "Artefact Vehicle Flies"),
    ],
)
def test_things_that_show_how_the_labels_meet(name, labels):
    assert labels_of(name) == set(labels.split())


def test_one_answer_has_corollaries():
    bird = ONTO.propagate({"Bird": True})
    assert all(bird[label] for label in ("Vertebrate", "Animal", "Living"))
    assert not any(
        bird[label]
        for label in ("Mammal", "Fish", "Insect", "Plant", "Fruit", "Place", "Tool", "Dish")
    )
    assert not {"Food", "Flies", "Aquatic", "Pet"} & set(bird)  # some are, some are not
    assert ONTO.propagate({"Flies": True, "Artefact": True})["Vehicle"]
    assert ONTO.propagate({"Place": True, "Artefact": True})["Structure"]
    with pytest.raises(co.Contradiction):
        ONTO.propagate({"Flies": True, "Reptile": True})


def test_a_text_model_learns_but_not_at_once():
    contents = read(FOLDER)
    assert len(contents.X) == len(contents.Y)
    assert contents.meaning.keys() == set(ONTO.labels)
    contents = contents._replace(X=default_features(list(contents.X))[0])
    order = np.random.default_rng(0).permutation(len(contents.Y))
    held_out = order[350:]
    few, many = (_learnt(contents, order[:n], held_out) for n in (50, 350))
    assert few < 0.8 < many < 0.99


def _learnt(contents, rows, held_out):
    beliefs = np.zeros((len(held_out), len(ONTO)))
    for k in range(len(ONTO)):
        known = contents.Y[rows, k]
        if known.any() and not known.all():
            model = LogisticRegression(C=30).fit(contents.X[rows], known)
            beliefs[:, k] = model.predict_proba(contents.X[held_out])[:, 1]
    return weighted_auc(beliefs, contents.Y[held_out])


@pytest.mark.parametrize(
    ("file", "change", "message"),
    [
        (
            "things.tsv",
            lambda text: text.replace("name\t", "nom\t", 1),
            "must begin with the columns name, description",
        ),
        ("things.tsv", lambda text: text + "stray line\n", "1 columns in place of 3"),
        (
            "things.tsv",
            lambda text: text.replace(", Bird", ", Brid", 1),
            "unknown label 'Brid'; did you mean 'Bird'",
        ),
        (
            "things.labels.tsv",
            lambda text: text.replace("\nBird\t", "\nbird\t"),
            "one row for each label",
        ),
    ],
)
def test_damaged_files_are_refused(tmp_path, file, change, message):
    for name in FILES:
        shutil.copy(FOLDER / name, tmp_path)
    (tmp_path / file).write_text(
        change((tmp_path / file).read_text(encoding="utf-8")), encoding="utf-8"
    )
    with pytest.raises(co.CorollaryError, match=message):
        load(tmp_path)
