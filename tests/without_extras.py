"""Every verb and every public name, where extras are not installed: an answer, or one line.

``python tests/without_extras.py`` in an environment that has only what ``pip install palio``
brings; elsewhere ``--hide run --hide web …`` plays that what these extras bring is not there.
"""

import argparse
import contextlib
import importlib.machinery
import io
import sys
import tempfile
import traceback
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import palio
from palio.app.cli import main
from palio.app.verbs import VERBS
from palio.errors import MissingExtraError
from palio.extras import EXTRAS, absent

# A command, and the extras it needs; the first of them that is absent is named.
COMMANDS: dict[str, tuple[str, ...]] = {
    "results.csv --cost train_time": (),
    "study:ulas2008": (),
    "order results.csv --cost train_time --figure order.svg": (),
    "order results.csv --cost train_time --test bayes": (),
    "order results.json --dataset iris --test 5x2cv-f": (),
    "compare results.csv --latex table.tex --figure cd.pdf --figure comparison-matrix=m.png": (),
    "compare results.md --score accuracy --json": (),
    "compare results.csv --dataset iris": (),
    "compare predictions.csv --test mcnemar": (),
    "bayes results.csv --rope 0.01": (),
    "bayes results.csv --rope 0.01 --model hierarchical": ("bayes",),
    "rope results.csv": (),
    "rank results.csv --stability": (),
    "aggregate results.csv": (),
    "best results.csv --dataset iris": (),
    "audit results.csv": (),
    "power results.csv --a svm --b tree --datasets 10": (),
    "variance results.csv": (),
    "read results.csv --to results.tsv": (),
    "read results.csv --to table.parquet": ("parquet",),
    "read table.parquet": ("parquet",),
    "read table.xlsx": ("excel",),
    "report results.csv -o report.html": (),
    "report --schema": ("run",),
    "recommend results.csv --for new.csv --budget 60s": (),
    "recommend results.csv --for new.csv --run": ("run",),
    "recommend results.csv --for sklearn:wine": ("run",),
    "recommend results.csv --for new.csv --data folder:data --nearest 1": ("run",),
    "recommend experiment.db --for new.csv": ("run",),
    "recommend --for new.csv --budget 60s": (),
    "recommend --evaluate --nearest 3": (),
    "recommend --for new.csv --nearest 3": ("run",),
    "recommend --for new.csv --run": ("run",),
    "reproduce ulas2008": (),
    "reproduce yildiz2006 --data folder:.": ("learners", "run"),
    "algorithms": (),
    "algorithms c45": (),
    "demo": ("run",),
    "plan experiment.toml": ("run",),
    "run experiment.toml": ("run",),
    "run experiment.toml --engine dask": ("dask", "run"),
    "run trees.toml --engine inline": ("run", "learners"),
    "status experiment.db": ("run",),
    "status postgresql://nobody@localhost:1/none": ("postgres", "run"),
    "retry experiment.db": ("run",),
    "export experiment.db table.csv": ("run",),
    "merge both.db experiment.db": ("run",),
    "submit experiment.toml --slurm --dry-run": ("run",),
    "final experiment.db": ("run",),
    "order experiment.db": ("run",),
    "serve results.csv": ("web",),
}

# What a Python user writes where no verb does the same, and the extras it needs; of the other
# public names only that they are there is tried.
STATEMENTS: dict[str, tuple[str, ...]] = {
    "palio.FreeSearchCV": ("run",),
    "palio.analyse('results.csv').to_dict()": (),
    "palio.compare('results.csv').p_values()": (),
    "palio.draw(palio.compare('results.csv'))": (),
    "palio.evaluate_recommendation('results.csv', data=['folder:data'])": ("run",),
    "palio.load_study('ulas2008').to_frame()": (),
    "palio.multitest('results.csv', dataset='iris', cost='train_time').plot()": (),
    "palio.read_items('predictions.csv')": (),
    "palio.merge_stores('both.db', ['experiment.db'])": ("run",),
    "palio.read_stored_predictions('experiment.db')": ("run",),
    "palio.report_schema()": ("run",),
    "palio.run(['monks-1'], {})": ("run",),
    "palio.try_in_order(None, None, None, {})": ("run",),
    "palio.tuned": ("run",),
}
STATEMENTS |= {
    f"palio.{name}": ()
    for name in palio.__all__
    if not any(said.startswith(f"palio.{name}") and needs for said, needs in STATEMENTS.items())
}


class Found(importlib.machinery.PathFinder):
    """Finds what is installed, but for what is hidden."""

    hidden: ClassVar[set[str]] = set()

    @classmethod
    def find_spec(
        cls, fullname: str, path: Sequence[str] | None = None, target: Any = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return where a module is, if it is to be found."""
        if fullname.partition(".")[0] in cls.hidden:
            return None
        return super().find_spec(fullname, path, target)


def hide(extras: Sequence[str]) -> None:
    """Have the modules of some extras be absent, in a process that has loaded none of them."""
    Found.hidden |= {module for extra in extras for module in EXTRAS[extra]}
    sys.meta_path[sys.meta_path.index(importlib.machinery.PathFinder)] = Found


def material() -> None:
    """Write the files that the commands are about into the present folder."""
    rows = ["dataset,algorithm,repeat,fold,accuracy,train_time"]
    names = ("iris", "wine", "glass", "vowel", "zoo", "car", "yeast", "monks")
    for d, dataset in enumerate(names):
        for a, algorithm in enumerate(("svm", "tree", "knn")):
            for repeat in range(5):
                for fold in range(2):
                    noise = (d * 7 + a * 5 + repeat * 3 + fold * 11) % 13 / 400
                    score = 0.9 - 0.04 * a - 0.01 * d + noise
                    rows.append(f"{dataset},{algorithm},{repeat},{fold},{score:.4f},{a + 1}")
    text = "\n".join(rows)
    Path("results.csv").write_text(text)
    palio.read_scores("results.csv").to_frame().to_json("results.json", orient="records")
    wide = [f"| {name} | 0.9{i} | 0.8{i} | 0.7{i} |" for i, name in enumerate(names)]
    head = "| dataset | svm | tree | knn |\n|---|---|---|---|\n"
    Path("results.md").write_text(head + "\n".join(wide))
    Path("predictions.csv").write_text(
        "instance,truth,a,b\n" + "\n".join(f"{i},{i % 2},{i % 3 % 2},{i % 2}" for i in range(40))
    )
    Path("data").mkdir()
    features = "x,y,class\n" + "\n".join(f"{i % 7},{i % 5},{'ab'[i % 2]}" for i in range(60))
    for place in ("new", *(f"data/{name}" for name in names)):
        Path(f"{place}.csv").write_text(features)
    learner = 'datasets = ["monks-1"]\nstore = "experiment.db"\nalgorithms = '
    Path("experiment.toml").write_text(f'{learner}{{ nb = "sklearn.naive_bayes:GaussianNB" }}\n')
    Path("trees.toml").write_text(f'{learner}["c45"]\n')
    Path("experiment.db").write_bytes(b"")
    Path("table.parquet").write_bytes(b"PAR1....PAR1")
    with zipfile.ZipFile("table.xlsx", "w") as book:
        for part in ("[Content_Types].xml", "xl/workbook.xml"):
            book.writestr(part, "<a/>")


def _wrong_command(command: str, extras: tuple[str, ...]) -> str:
    """Return what is wrong with what a command says; nothing where it is right."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(command.split())
    said = err.getvalue()
    wanted = next((extra for extra in extras if absent(extra)), None)
    if wanted is None:
        return f"[{status}] {said}" if status else ""
    last = said.splitlines()[-1] if said else ""
    ends = last.endswith(f"pip install 'palio[{wanted}]'.") and last.startswith("error: ")
    good = status == 2 and ends and "Traceback" not in said
    return "" if good else f"[{status}] {wanted} is needed, and it says: {said or out.getvalue()}"


def _wrong_statement(statement: str, extras: tuple[str, ...]) -> str:
    """Return what is wrong with what a statement does."""
    wanted = next((extra for extra in extras if absent(extra)), None)
    try:
        eval(statement, {"palio": palio})
    except MissingExtraError as error:
        right = wanted is not None and str(error).endswith(f"pip install 'palio[{wanted}]'.")
        return "" if right else f"{wanted} is needed, and it says: {error}"
    except Exception:
        return traceback.format_exc()
    return "" if wanted is None else f"{wanted} is needed, and it answers"


def wrong(only: Sequence[str]) -> Iterator[str]:
    """Yield what is wrong; of commands and names that need one of ``only`` where some are given."""
    missing = {*VERBS} - {word for command in COMMANDS for word in command.split()}
    if missing:
        yield f"nobody tries: {', '.join(sorted(missing))}"
    for check, cases in ((_wrong_command, COMMANDS), (_wrong_statement, STATEMENTS)):
        for what, extras in cases.items():
            # What is there may start a server, or run for a minute: only what is refused is tried.
            chosen = set(only) & set(extras) if only else not extras or any(map(absent, extras))
            if chosen and (found := check(what, extras)):
                yield f"{what}: {found.strip()}"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--hide", action="append", default=[], choices=EXTRAS)
    parser.add_argument("--only", action="append", default=[], choices=EXTRAS)
    return parser.parse_args()


if __name__ == "__main__":
    given = _arguments()
    hide(given.hide)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        material()
        found = list(wrong(given.only))
    sys.exit("\n".join(found) or None)
