"""Figures on pages and in the README are those that benchmarks recorded."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import importlib
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")


@pytest.fixture(autouse=True)
def folders(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks/speed"))
    monkeypatch.syspath_prepend(str(ROOT / "docs/_ext"))


@pytest.fixture
def measured():
    pytest.importorskip("sphinx")
    return importlib.import_module("measured")


@pytest.mark.parametrize(
    ("text", "rst"),
    [
        ("load_faq() * 2", r"load_faq() \* 2"),
        ("vectors_, __all__ |", r"vectors\_, __all\_\_ \|"),
    ],
)
def test_only_markup_is_escaped(measured, text, rst):
    assert measured.inline(text) == rst


def test_pages_show_what_is_recorded(measured):
    """If not, run `python docs/_ext/measured.py`."""
    assert len(measured.pages()) >= 7
    for page in measured.pages():
        text = page.read_text("utf-8")
        assert measured.render(text) == text
        assert len(re.findall(r"^ *\.\. measured: ", text, re.M)) == text.count(
            ".. end measured\n"
        )


def test_what_is_between_the_marks_is_replaced(measured):
    head = ".. measured: memory\n   section: preamble\n"
    assert "old" not in measured.render(f"{head}\nold\n\n.. end measured\n\nkept\n")
    assert measured.render(f"{head}\nold\n\n.. end measured\nkept\n").endswith("kept\n")


RECORD = """A sentence.

2026-11-26: rounds 1, load of the machine 6.7

|  | s | MB | target |
| --- | --- | --- | --- |
| a | 5 (5 to 5) | 1 | 2 |
| b | 3 (1 to 4) | 1 | 2 |

| c | d |
| --- | --- |
| 1 | 2 |
"""


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (
            {"part": "measures"},
            [["s", "MB"], ["a", "5", "1"], ["b", "3 (1 to 4)", "1"]],
        ),
        ({"part": "medians", "columns": "s"}, [["s"], ["a", "5"], ["b", "3"]]),
        ({"part": "medians", "rows": "^. a"}, [["s", "MB"], ["a", "5", "1"]]),
    ],
)
def test_a_part_of_a_record(measured, options, expected):
    _, head, _, *body, _ = measured.quote(RECORD, **options)
    found = [re.split(" {2,}", line.strip("\\ ")) for line in (head, *body)]
    assert found == expected


def test_conditions_stay_in_the_record(measured):
    found = measured.quote(RECORD)
    assert "A sentence." in found
    assert not any("load of the machine" in line for line in found)


def test_a_block_may_be_indented(measured):
    page = (
        ".. dropdown:: Memory\n\n   .. measured: memory\n"
        "      section: Memory of load_pretrained()\n      part: medians\n\n"
        "   .. end measured\n"
    )
    lines = measured.render(page).splitlines()
    assert any(line.startswith("   load_pretrained()  ") for line in lines)
    assert all(line.startswith("   ") for line in lines[2:] if line)


def test_sizing_takes_what_is_measured(measured):
    groups = importlib.import_module("throughput").GROUPS
    for label, name in measured.ENCODERS:
        assert label in {
            contender.label for contender in groups[name].contenders.values()
        }
        assert "distinct" in groups[name].columns


QUOTED = [
    quoted
    for page in [*(ROOT / "docs").glob("*.rst"), *(ROOT / "docs/user_guide").glob("*")]
    for quoted in re.findall(
        r"\.\. measured: (\w+)\n   section: (.+)", page.read_text("utf-8")
    )
]


@pytest.mark.parametrize("name", ["throughput", "memory"])
def test_pages_quote_what_scripts_measure(name):
    groups = importlib.import_module(name).GROUPS.values()
    titles = {group.title for group in groups}
    quoted = {section for script, section in QUOTED if script == name}
    assert quoted and quoted <= {*titles, "preamble"}


def rows_of(text, title="# "):
    """The cells of all rows of a section, by the first."""
    lines = re.findall(r"^\| (.+) \|$", text.partition(title)[2], re.M)
    return {name: cells for name, *cells in (line.split(" | ") for line in lines)}


def rates(label):
    """Medians of throughput.json: sentences/s in later calls, microseconds of one."""
    path = ROOT / "benchmarks/results/throughput.json"
    found = json.loads(path.read_text("utf-8"))["embed"]["contenders"][label]
    return found["distinct"]["median"], found["one"]["median"]


def test_citation_is_that_of_its_file():
    page = (ROOT / "docs/references.rst").read_text("utf-8").replace("\\", "")
    file = (ROOT / "CITATION.cff").read_text("utf-8")
    for key in ("title", "license", "url"):
        value = re.search(rf'^{key}: "?([^"\n]+)"?$', file, re.MULTILINE)[1]
        assert f"{key} = {{{value}}}" in page


README_ROWS = {  # by the label of the README, those of quality and of speed
    "`skparaphrase.load_pretrained()`": ("load_pretrained()", "load_pretrained()"),
    "potion-base-32M (model2vec)": ("potion-base-32M", "model2vec"),
    "all-MiniLM-L6-v2 (sentence-transformers)": (
        "all-MiniLM-L6-v2, a transformer",
        "all-MiniLM-L6-v2",
    ),
}


def rounded(number):
    """To two figures, as the README and the pages quote rates."""
    return f"{float(f'{number:.1e}'):,.0f}"


def test_readme_quotes_results():
    results = (ROOT / "benchmarks/results/mteb_sts.md").read_text("utf-8")
    quality, rows = rows_of(results, "# On MTEB"), rows_of(README)
    for label, (name, timed) in README_ROWS.items():
        megabytes, *tasks, _, source = quality[name]
        mean = sum(map(float, tasks[:3])) / 3  # STS12 to STS14
        assert rows[label][:2] == [
            megabytes,
            f"{mean:.1f}" + r"\*" * (source == "MTEB"),
        ]
        assert rows[label][2] == (rounded(rates(timed)[0]) if timed else "–")  # noqa: RUF001
    results = (ROOT / "benchmarks/results/throughput.md").read_text("utf-8")
    (ours,) = re.findall(r"in which load_pretrained\(\) embedded ([\d,]+)\.", results)
    ratio = float(ours.replace(",", "")) / rates("all-MiniLM-L6-v2")[0]
    assert f"ours was some {rounded(ratio)} times that of all-MiniLM-L6-v2." in README
    assert f"embeds {rounded(rates('load_pretrained()')[0])} sentences" in README
    slow = rates("load_pretrained(), nothing compiled")[0]
    assert f"installation, ours is {rounded(slow)}." in README


def test_picture_of_the_readme_shows_results():
    results = (ROOT / "benchmarks/results/mteb_sts.md").read_text("utf-8")
    quality = rows_of(results, "# On MTEB")
    results = (ROOT / "benchmarks/results/adaptation.md").read_text("utf-8")
    before, after, *_, seconds = rows_of(results, "## Texts with")["20 texts an intent"]
    shown = r'(?:!\[|<img[^>]* alt=")([^\]"]+)(?:\]\(|"[^>]*>)'
    texts = re.findall(shown, " ".join(README.split()))
    (text,) = (text for text in texts if "labelled questions" in text)
    assert "docs/_static/results.png" in README
    assert f"{float(before):.0f} % before and {float(after):.0f} % after" in text
    assert f"training of {seconds} s" in text
    for name, label in [
        ("load_pretrained()", "skparaphrase"),
        ("potion-base-32M", "potion-base-32M"),
        ("all-MiniLM-L6-v2, a transformer", "all-MiniLM-L6-v2"),
    ]:
        megabytes, *tasks = quality[name]
        score = f"{sum(map(float, tasks[:3])) / 3:.1f}"  # STS12 to STS14
        assert re.search(rf"{label}( \w+)? {score} with {megabytes} MB", text), label


def test_one_speed_on_all_pages():
    """What prose says about the throughput and the time of `load_pretrained()`."""
    path = ROOT / "benchmarks/results/throughput.json"
    group = json.loads(path.read_text("utf-8"))["embed"]["comparisons"]
    first, again, mean = (
        f"{group[f'{label} / model2vec']['median']:.0f} times"
        for label in ('first: "distinct"', 'again: "distinct"', 'again: "mean"')
    )
    ours, one = rates("load_pretrained()")
    peer = rates("model2vec")[1]
    quoted = {
        "docs/index.rst": [
            f"About {1e6 / ours:.0f} microseconds per text in large batches on one "
            f"core, or {one:.0f} microseconds for"
        ],
        "docs/comparison.rst": [
            f"embeds {again} as many sentences",
            f"({first} in the first call of a process)",
            f"and {mean} as many with `pooling=",
            f"takes {one:.0f} microseconds, compared with {peer:.0f} for model2vec",
        ],
    }
    for page, parts in quoted.items():
        text = " ".join((ROOT / page).read_text("utf-8").split())
        for part in parts:
            assert part in text


def test_readme_quotes_what_training_gains():
    results = (ROOT / "benchmarks/results/adaptation.md").read_text("utf-8")
    recorded, shown = rows_of(results, "## Few labels\n"), rows_of(README)
    for name, label in {
        "tf-idf, logistic regression": "tf-idf, logistic regression",
        "`load_pretrained()`, logistic regression": "pretrained, logistic regression",
        "`TextClassifier()`, trained in {} s": "TextClassifier",
    }.items():
        two, five, _, twenty, seconds = recorded[label]
        assert shown[name.format(seconds)] == [two, five, twenty]


def test_summary_of_speed_quotes_results():
    page = (ROOT / "docs/performance.rst").read_text("utf-8")
    body = page.partition(".. list-table:: Speed")[2]
    rows = re.findall(r"   \* - (.+)\n     - (.+)\n     - (.+)\n", body)
    paths = sorted((ROOT / "benchmarks/results").glob("*.md"))
    results = "\n".join(path.read_text("utf-8") for path in paths)
    assert len(rows) > 5
    for row in rows[1:]:
        figure = re.findall(r"[\d,.]*\d", row[1])[0]
        found = re.search(
            rf"(?<![\d.,]){re.escape(figure)}(\.\d+)?( \(| pairs/s)", results
        )
        assert found, row


@pytest.fixture
def picture():
    pytest.importorskip("matplotlib")
    return importlib.import_module("picture")


def test_pictures_of_the_readme_are_drawn(picture, tmp_path):
    """If not, run `python docs/_ext/picture.py`."""
    picture.draw(tmp_path)
    for name in ("results.png", "results_dark.png"):
        size, kept = (
            (folder / name).stat().st_size
            for folder in (tmp_path, ROOT / "docs/_static")
        )
        assert size == pytest.approx(kept, rel=0.1)  # fonts differ
        assert kept < 100_000


def test_pictures_show_what_is_recorded(picture):
    """Every point of the quality and the speed is one of a record."""
    _, axes = picture.plt.subplots()
    picture.draw_models(axes)
    drawn = {tuple(map(float, point.get_xydata()[0])) for point in axes.lines[:-2]}
    rows = picture.read("mteb_sts")
    assert len(drawn) > 5
    years = "STS12", "STS13", "STS14"
    recorded = {
        (row["MB"], round(sum(map(row.get, years)), 6)) for row in rows if row.get("MB")
    }
    assert {(size, round(3 * score, 6)) for size, score in drawn} <= recorded
    _, pair = picture.plt.subplots(2)
    picture.draw_speed(pair)
    speeds = picture.read("throughput")["embed"]["contenders"]
    for ax, column in zip(pair, ("distinct", "one"), strict=True):
        drawn = {line.get_xdata()[0] for line in ax.lines[1::2]}
        assert len(drawn) > 5
        assert drawn <= {row[column]["median"] for row in speeds.values()}
    picture.plt.close("all")


def test_examples_are_in_the_order_of_the_gallery(picture):
    names = ["quickstart", "plot_search", "plot_labels", "data_parallel"]
    order = [picture.gallery_order(f"examples/{name}.py") for name in names]
    assert -1 not in order and order == sorted(order)
