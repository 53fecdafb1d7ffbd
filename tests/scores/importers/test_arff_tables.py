"""ARFF as ASlib and WEKA write it, and WEKA's own kind of CSV."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from palio.errors import InputError, UnreadableError
from palio.scores import read_scores
from tests.shared import shared_file


def by_hand(path: Path, unended: float = np.nan) -> pd.DataFrame:
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode()
    lines = [line for line in text.split("@DATA\n")[1].splitlines() if line.strip(" %")]
    names = ["dataset", "repeat", "algorithm", "value", "status"]
    frame = pd.DataFrame([line.split(",") for line in lines], columns=names)
    frame["value"] = frame["value"].astype(float).where(frame["status"] == "ok", other=unended)
    return frame.pivot_table(index="dataset", columns="algorithm", values="value")


@pytest.mark.parametrize("prefix", ["", "aslib:"])
def test_aslib_gives_a_value_per_instance_and_algorithm(prefix: str) -> None:
    path = shared_file("results/aslib/OPENML-WEKA-2017.algorithm_runs.arff")
    table = read_scores(f"{prefix}{path}", missing="pairwise")
    found = pd.DataFrame(table.means(), index=list(table.datasets), columns=list(table.algorithms))
    expected = by_hand(path)
    assert expected.shape == (105, 30)
    pd.testing.assert_frame_equal(
        found.loc[expected.index, expected.columns], expected, check_names=False
    )
    assert table.measure.to_dict() == {"name": "predictive_accuracy", "higher_is_better": True}


def test_aslib_run_times_go_down_and_time_outs_are_penalised() -> None:
    path = shared_file("results/aslib/SAT20-MAIN.algorithm_runs.arff.gz")
    table = read_scores(path)
    assert table.measure.to_dict() == {"name": "runtime", "higher_is_better": False}
    expected = by_hand(path, unended=50_000)
    found = pd.DataFrame(table.means(), index=list(table.datasets), columns=list(table.algorithms))
    assert int((found < 5000).sum().sum()) == int((expected < 5000).sum().sum()) == 12955
    ended = found.loc[expected.index, expected.columns]
    # Runs were stopped up to 3 seconds from the cut-off.
    pd.testing.assert_frame_equal(
        ended.where(ended < 5000, ended.round(-3)), expected, check_names=False
    )
    assert set(table.to_frame()["status"]) == {"ok", "timeout", "crash", "other", "memout"}


ASLIB = """@RELATION r
@ATTRIBUTE instance_id STRING
@ATTRIBUTE repetition NUMERIC
@ATTRIBUTE algorithm STRING
@ATTRIBUTE slack NUMERIC
@ATTRIBUTE runstatus {ok, timeout}
@DATA
'a, b',1,x,1.5,ok
'a, b',1,y,?,timeout
"""


def test_the_description_beside_says_which_way_a_measure_goes(tmp_path: Path) -> None:
    (tmp_path / "algorithm_runs.arff").write_text(ASLIB, encoding="utf-8")
    with pytest.raises(InputError, match="'slack' is not a well-known measure"):
        read_scores(tmp_path, missing="pairwise")
    for maximize in (True, False):
        text = f"performance_measures:\n- slack\nmaximize:\n- {str(maximize).lower()}\n"
        (tmp_path / "description.txt").write_text(text, encoding="utf-8")
        table = read_scores(tmp_path, missing="pairwise")
        assert table.measure.higher_is_better is maximize
        assert table.datasets == ("a, b",)
        np.testing.assert_array_equal(table.means(), [[1.5, np.nan]])


def test_runs_of_two_measures_are_not_mixed(tmp_path: Path) -> None:
    (tmp_path / "one.arff").write_text(ASLIB, encoding="utf-8")
    (tmp_path / "two.arff").write_text(ASLIB.replace("slack", "quality"), encoding="utf-8")
    with pytest.raises(UnreadableError, match="several measures: slack, quality"):
        read_scores(tmp_path)


# --- WEKA ----------------------------------------------------------------------------------

HEADER = [
    *("Key_Dataset", "Key_Run", "Key_Fold", "Key_Scheme", "Key_Scheme_options"),
    *("Key_Scheme_version_ID", "Date_time", "Percent_correct", "Elapsed_Time_training"),
]


def weka_rows() -> list[str]:
    schemes = (
        ("weka.classifiers.trees.J48", "'-C 0.25 -M 2'", 90),
        ("weka.classifiers.trees.J48", "'-U -M 2'", 80),
        ("weka.classifiers.rules.ZeroR", "''", 50),
    )
    return [
        f"{data},{run},{fold},{scheme},{options},1,20080731.1,{base + run + fold},0.5"
        for data in ("iris", "'my data'")
        for run in (1, 2)
        for fold in (1, 2)
        for scheme, options, base in schemes
    ]


@pytest.mark.parametrize("ending", [".csv", ".arff", ".arff.gz", ".csv.gz"])
def test_weka_keys_are_roles_in_csv_and_arff(ending: str, tmp_path: Path) -> None:
    if "csv" in ending:
        text = "\n".join([",".join(HEADER), *weka_rows()])
    else:
        attributes = [f"@attribute {name} {{a,b}}" for name in HEADER]
        text = "\n".join(["@relation r", *attributes, "", "@data", "% begun", *weka_rows()])
    path = tmp_path / f"experiment{ending}"
    path.write_bytes(gzip.compress(text.encode()) if ending.endswith("gz") else text.encode())
    table = read_scores(path)
    assert table.datasets == ("iris", "my data")
    assert table.algorithms == ("J48 -C 0.25 -M 2", "J48 -U -M 2", "ZeroR")
    assert str(table.design()) == "2×2-fold cv"
    assert table.measure.name == "Percent_correct"
    assert table.cost_names == ("Elapsed_Time_training",)
    np.testing.assert_array_equal(table.means(), [[93, 83, 53]] * 2)


def test_a_row_too_short_and_a_mark_not_closed_are_one_line(tmp_path: Path) -> None:
    path = tmp_path / "experiment.csv"
    path.write_text(",".join(HEADER) + "\niris,1,1\n", encoding="utf-8")
    with pytest.raises(UnreadableError, match="lines 2 have fewer fields"):
        read_scores(path)
    for row, said in (("iris,1,1", "line 10 has 3"), ("iris,1,1,'a", "cannot be read")):
        attributes = [f"@attribute {name} STRING" for name in HEADER[:7]]
        text = "\n".join(["@relation r", *attributes, "@data", row])
        (tmp_path / "runs.arff").write_text(text, encoding="utf-8")
        with pytest.raises(UnreadableError, match=said):
            read_scores(tmp_path / "runs.arff")
    (tmp_path / "runs.arff").write_text(ASLIB.partition("@DATA")[0], encoding="utf-8")
    with pytest.raises(UnreadableError, match="has no @data"):
        read_scores(tmp_path / "runs.arff")
