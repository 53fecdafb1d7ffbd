"""The published tables of ulas2008 come out, and what does not is explained."""

import numpy as np
import pytest

import palio
from palio.studies import ulas2008
from palio.studies.reproduction import UNEXPLAINED, check_cells, read_published


@pytest.fixture(scope="module")
def reproduction() -> palio.Reproduction:
    return palio.reproduce("ulas2008")


# How many cells agree, of how many. Where not all do, the paper ranked unrounded means.
EXPECTED = {
    "3.1": (56, 56),
    "3.3": (6, 6),
    "4.1": (53, 56),
    "4.1 bold": (56, 56),
    "4.2(a)": (5, 8),
    "4.2(c)": (29, 29),
    "4.3": (56, 56),
    "4.3 bold": (56, 56),
    "4.4(a)": (8, 8),
    "4.4(c)": (29, 29),
    "4.4 order": (8, 8),
    "4.5(a)": (8, 8),
    "4.5(c)": (29, 29),
    "4.5 order": (8, 8),
    "§4.5.2": (3, 3),
    **{f"A.{number}": (76, 76) for number in range(1, 9)},  # margins
    "A.9": (8, 8),
    "A.10": (8, 8),
    "A.11": (300, 304),
    "A.12": (304, 304),
    "A.13": (304, 304),
    "§3.2": (4, 4),
}


def test_agreement(reproduction: palio.Reproduction) -> None:
    assert {c.table: (c.agree, c.cells) for c in reproduction.checks} == EXPECTED


def test_every_disagreement_has_a_reason(reproduction: palio.Reproduction) -> None:
    differences = [d for check in reproduction.checks for d in check.differences]
    assert len(differences) == 10
    assert all(d.reason != UNEXPLAINED for d in differences)


def test_frame_and_dictionary_have_every_cell(reproduction: palio.Reproduction) -> None:
    assert len(reproduction.to_frame()) == reproduction.cells
    summary = reproduction.to_dict()
    assert sum(len(check["values"]) for check in summary["checks"]) == summary["cells"]


def test_one_table_is_shown_side_by_side(reproduction: palio.Reproduction) -> None:
    text = str(reproduction.only("A.11"))
    assert "7|6.5" in text
    with pytest.raises(palio.errors.UnknownNameError, match=r"table: 'A\.99'"):
        reproduction.only("A.99")


def test_data_are_the_printed_folds() -> None:
    """Means as the paper prints them; iris and ionosphere under their own names."""
    table = palio.load_study("ulas2008")
    assert (table.n_datasets, table.n_algorithms) == (38, 8)
    means = dict(zip(table.datasets, table.means(), strict=True))
    c45 = table.algorithms.index("c45")
    assert means["australian"][c45] == pytest.approx(85.75, abs=0.01)
    assert means["zoo"][c45] == pytest.approx(79.27, abs=0.01)
    assert means["ionosphere"][c45] == pytest.approx(89.40, abs=0.01)  # printed as "iris"
    assert means["iris"][c45] == pytest.approx(93.30, abs=0.01)
    assert table.cost_matrix("train_time").max() == pytest.approx(103.80, rel=1e-12)


def test_an_unexplained_difference_says_so() -> None:
    check = check_cells("1", "t", {("a",): 1.0, ("b",): "x"}, {("a",): 2.0, ("b",): "y"})
    assert (check.agree, check.cells) == (0, 2)
    assert [d.reason for d in check.differences] == [UNEXPLAINED, UNEXPLAINED]


def test_unknown_study() -> None:
    with pytest.raises(palio.errors.UnknownNameError, match="Did you mean 'ulas2008'"):
        palio.load_study("ulas2009")


def test_figures_are_those_of_the_paper(reproduction: palio.Reproduction) -> None:
    drawn = {drawing.number: drawing for drawing in reproduction.drawings}
    assert list(drawn) == [
        "Figure 3.1", "Figure 3.2", "Figure 3.3", "4.2(b)", "4.4(b)", "4.4(d)", "4.5(b)", "4.5(d)",
    ]  # fmt: skip
    example = drawn["Figure 3.3"].summary
    assert isinstance(example, palio.Ordering)
    assert (example.prior, example.overridden) == (tuple("CADB"), (("C", "A"), ("D", "B")))
    for number, cost in (("4.4(d)", "train_time"), ("4.5(d)", "space")):
        graph = drawn[number].summary
        assert isinstance(graph, palio.Ordering)
        assert (graph.order, graph.overridden) == (ulas2008.ORDERS[cost], ())  # §4.5.1, §4.5.2
    optdigits = drawn["Figure 3.1"].summary
    assert isinstance(optdigits, palio.Ordering)
    printed = read_published("ulas2008", "table_3_1")
    place = {name: i for i, name in enumerate(optdigits.prior)}
    edges = {(b, a) for (a, b), one in printed.items() if one and place[b] < place[a]}
    assert set(optdigits.overridden) == edges


def test_the_order_of_optdigits_as_section_3_1_tells_it() -> None:
    """Figure 3.2: candidates and the node taken at every step."""
    ordering = palio.multitest(palio.load_study("ulas2008"), dataset="optdigits", cost="train_time")
    assert ordering.prior == ("5nn", "c45", "lnp", "mlp", "svr", "svl", "sv2", "mdt")
    assert [set(step.candidates) for step in ordering.steps[:4]] == [
        {"svr", "svl", "sv2", "mdt"},
        {"svl", "sv2", "mdt"},
        {"sv2", "mdt"},
        {"5nn", "mlp", "mdt"},
    ]
    assert [step.taken for step in ordering.steps] == [
        "svr", "svl", "sv2", "5nn", "mlp", "lnp", "mdt", "c45",
    ]  # fmt: skip


def test_mean_places_by_hand() -> None:
    """What the second pass tests is the mean place of the first."""
    ordering = palio.multi2test(palio.load_study("ulas2008"), cost="space")
    places = {name: [] for name in ordering.order}  # type: dict[str, list[int]]
    for one in ordering.to_dict()["per_dataset"].values():
        for place, name in enumerate(one["order"], start=1):
            places[name].append(place)
    for name, values in places.items():
        assert ordering.mean_places[name] == pytest.approx(np.mean(values))
        assert ordering.comparison is not None
        assert ordering.comparison.mean_ranks[name] == pytest.approx(np.mean(values))
