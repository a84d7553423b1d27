"""The check of plain words finds riddles and long sentences, and only those."""

from __future__ import annotations

from . import prose


def words_found(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    return [(line, why.split(":")[0]) for line, why in prose.faults(path)]


def test_riddles_are_found_in_code_and_docs(tmp_path):
    assert words_found(tmp_path, "a.md", "Plain.\n\nOf what is known, so many are alike.\n") == [
        (3, "'alike'"),
        (3, "'so many'"),
        (3, "'what is'"),
    ]
    assert words_found(tmp_path, "a.js", "const told = heard();\n") == [
        (1, "'heard'"),
        (1, "'told'"),
    ]


def test_a_long_sentence_is_found_in_a_docstring_an_error_and_a_page(tmp_path):
    long = " ".join(["word"] * 26)
    code = (
        f'def f(x):\n    """Short.\n\n    {long}.\n    """\n    raise ValueError(f"{{x}} {long}")\n'
    )
    assert words_found(tmp_path, "a.py", code) == [(2, "26 words"), (6, "27 words")]
    assert words_found(tmp_path, "a.md", f"# Title\n\nShort. {long}.\n") == [(3, "26 words")]


def test_code_tables_and_lists_of_short_points_are_no_sentences(tmp_path):
    row = "| " + "word | " * 30
    block = "```\n" + "word " * 40 + "\n```"
    points = "".join(f"- point {n} of a list\n" for n in range(12))
    assert words_found(tmp_path, "a.md", f"{row}\n\n{block}\n\n{points}") == []


def test_a_count_may_not_rise(tmp_path, monkeypatch, capsys):
    (tmp_path / "a.md").write_text("What is told.\n")
    counts = tmp_path / "counts.tsv"
    monkeypatch.setattr(prose, "ROOT", tmp_path)
    monkeypatch.setattr(prose, "COUNTS", counts)
    monkeypatch.setattr(prose, "checked_files", lambda: ["a.md"])
    counts.write_text("a.md\t1\n")
    assert prose.main([]) == 1
    assert "a.md: 2 riddles and long sentences, 1 before" in capsys.readouterr().err
    counts.write_text("a.md\t2\n")
    assert prose.main([]) == 0
    (tmp_path / "a.md").write_text("Plain words.\n")
    assert prose.main(["--update"]) == 0
    assert counts.read_text() == ""


def test_docs_are_read_with_ease():
    """Half of the sentences of README and docs have at most 18 words, and none of them over 40."""
    pages = [p for p in prose.checked_files() if p.endswith(".md") and "comparison/" not in p]
    lengths, too_long = [], []
    for page in pages:
        for line, passage in prose.markdown_passages((prose.ROOT / page).read_text()):
            for words in filter(None, map(str.split, prose.sentences(passage))):
                lengths.append(len(words))
                if len(words) > 40:
                    too_long.append((page, line, " ".join(words[:8])))
    assert len(lengths) > 1_000
    assert sorted(lengths)[len(lengths) // 2] <= 18
    assert not too_long


def test_a_long_sentence_is_found_on_the_page(tmp_path):
    long = " ".join(["word"] * 26)
    script = f'put(a, "{long}", `${{n}} ${{one ? `${{n}} a` : "b"}} short`); // {long}\n'
    assert words_found(tmp_path, "a.js", script) == [(1, "26 words")]
    assert words_found(tmp_path, "a.html", f"<p>Short.</p>\n<p>{long} <b>$name</b></p>\n") == [
        (2, "27 words")
    ]
