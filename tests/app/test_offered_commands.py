"""Every command that a message about a table proposes works when copied."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from palio.app.cli import main


def long(header: str, *parts: str, values: str = "") -> str:
    """Return a long table of all combinations of some words, with a number or text in each row."""
    texts = values.split() or [f"0.{50 + 7 * n % 43}" for n in range(999)]
    keys = product(*map(str.split, parts))
    return "\n".join([header, *(",".join([*key, texts[n]]) for n, key in enumerate(keys))])


def wide(header: str, names: str, *columns: str) -> str:
    cells = zip(names.split(), *map(str.split, columns), strict=True)
    return "\n".join([header, *map(",".join, cells)])


TABLES: dict[str, str] = {
    "nothing tells the direction.csv": wide(
        "task,knn,svm", "iris wine zoo", "0.5 0.6 0.7", "0.6 0.8 0.9"
    ),
    "unknown.csv": long("model,dataset,zeal", "knn svm a1", "x1 x2 x3"),
    "who's who.csv": wide("name,q,r,s", "x y z", "0.5 0.6 0.7", "0.6 0.8 0.9", "0.1 0.2 0.3"),
    "either may be the algorithm.csv": long("first,second,accuracy", "a b c", "u v w"),
    "rows repeated.csv": long("model,dataset,accuracy", "knn svm", "iris wine wine zoo"),
    "rows at times.csv": long(
        "model,dataset,stamp,accuracy", "knn svm", "iris wine", "2024-01-01 2024-01-02"
    ),
    "unknown measures.csv": long("model,task,metric,value", "knn svm", "iris wine", "zork blip"),
    "one unknown measure.csv": wide(
        "model,metric,ads,bio", "knn svm nb", "zork zork zork", "0.5 0.6 0.7", "0.6 0.8 0.9"
    ),
    "measures by data set.csv": "\n".join(
        [
            "Data,Metric,xgboost,LightGBM",
            *("Higgs,AUC,0.83,0.84", "Yahoo,NDCG1,0.7,0.71", "Yahoo,NDCG3,0.72,0.71"),
            *("MS LTR,NDCG1,0.5,0.52", "MS LTR,NDCG3,0.51,0.52"),
        ]
    ),
    "commas or thousands.csv": "task;knn;svm\niris;1,234;2,345\nwine;1,357;2,468\nzoo;1,111;2,2",
    "beyond the range.csv": long(
        "model,dataset,accuracy", "knn svm", "iris wine", values="0.5 0.6 0.7 140"
    ),
    "some in percent.csv": wide(
        "dataset,knn,svm", "iris wine zoo", "50% 60% 70%", "0.6 0.8 0.9"
    ),
    "along a run.csv": long(
        "model,dataset,step,accuracy", "knn svm", "iris wine", "1 2 3 4 5 6 7 8",
        values=" ".join(f"0.{50 + 5 * (n % 8)}" for n in range(32)),
    ),
    "runs of one.csv": long("dataset,resample,zeal", "iris wine zoo", "0 1 2"),
    "pages.md": "# Results\n\n## Small\n\n|model|iris|wine|\n|--|--|--|\n|knn|1|2|\n|svm|3|4|\n\n"
    "## Large\n\n|model|zoo|ads|\n|--|--|--|\n|knn|5|2|\n|svm|3|9|\n",
    "no header.csv": wide("knn,iris,0.1", "knn svm svm", "wine iris wine", "0.2 0.3 0.4"),
    "items.csv": long("model,question_id,zeal", "knn svm", "1 2 3 4", values="1 0 1 1 0 0 1 0"),
}  # fmt: skip
# There is nothing to choose from: the table must be changed.
CLOSED = {"beyond the range.csv"}


def offered(text: str) -> Iterator[str]:
    """Yield the commands of a message: a line of its own each, or one after the other."""
    for line in text.splitlines():
        if line.startswith("error: "):
            # A sentence ends with a point, and begins with a capital.
            sentences = re.findall(r"(?<![\w'/])palio .+?(?=; or |\.$|\. [A-Z])", line)
            ways = (re.split(r"(?:,| or|, or) (?=palio )", each) for each in sentences)
            yield from (way for each in ways for way in each)
        elif re.match(r" {2,}palio ", line):
            yield line.strip()


@pytest.mark.parametrize("name", TABLES)
def test_every_command_that_a_message_proposes_works(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(f"{TABLES[name]}\n", encoding="utf-8")
    commands: dict[str, None] = {}
    for typed in ([name], ["read", name], ["order", name, "--json"]):
        status = main(typed)
        said = capsys.readouterr()
        assert status in (0, 2)
        asked = said.err if status else said.out.partition("Next:")[0]
        assert "Traceback" not in asked
        commands |= dict.fromkeys(offered(asked))
    assert (name in CLOSED) == (not commands)
    for command in commands:
        palio, *words = shlex.split(command)
        assert palio == "palio"
        status = main(words)
        assert (command, status, capsys.readouterr().err if status else "") == (command, 0, "")
