"""What is asked of three tables and of a small experiment: every verb, its options that matter.

``python -m tests.contract.commands`` records the answers anew; it is run on the commit whose
answers are the contract, never to make a test pass.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from palio.app.cli import main

HERE = Path(__file__).parent
TABLES = HERE / "tables"
ANSWERS = HERE / "answers"
ERRORS = ANSWERS / "errors.json"

_WIDE = "wide.csv --score accuracy --missing"

# By table and name of the answer. (a) folds of several data sets, lower is better, two costs;
# (b) one value per data set with holes; (c) the folds of one data set, and predictions.
COMMANDS: dict[str, str] = {
    "compare-folds": "compare folds.csv",
    "compare-folds-nemenyi": "compare folds.csv --test mean-ranks --correction nemenyi --alpha 0.1",
    "compare-folds-control": "compare folds.csv --test sign --correction finner --control tree",
    "compare-folds-zeros": "compare folds.csv --zero-method pratt --omnibus iman-davenport",
    "compare-wide-pairwise": f"compare {_WIDE} pairwise",
    "compare-wide-worst": f"compare {_WIDE} worst --test paired-t --correction shaffer",
    "compare-wide-drop": f"compare {_WIDE} drop-datasets --test conover --omnibus quade",
    "compare-wide-exact": f"compare {_WIDE} drop-datasets --test permutation --correction bh",
    "compare-kfold": "compare kfold.csv",
    "order-folds": "order folds.csv",
    "order-folds-pairwise": "order folds.csv --cost train_time",
    "order-kfold-pairwise": "order kfold.csv --prior nb,lda",
    "order-wide-pairwise": f"order {_WIDE} pairwise --test sign --correction shaffer",
    "order-folds-cost": "order folds.csv --cost train_time --method multi2test",
    "order-folds-weights": "order folds.csv --cost train_time=0.7 --cost space=0.3 --test 5x2cv-t"
    " --method multi2test",
    "order-folds-prior": "order folds.csv --prior svm,knn,tree,forest --posthoc wilcoxon-holm"
    " --method multi2test",
    "order-folds-bayes": "order folds.csv --cost space --test bayes --rope 0.01"
    " --method multi2test",
    "order-folds-dataset": "order folds.csv --dataset car --cost train_time --correction holm"
    " --method multitest",
    "order-folds-why": "order folds.csv --cost train_time --why tree forest --method multi2test",
    "order-kfold": "order kfold.csv --dataset waveform --test kfold-t --cost train_time"
    " --method multitest",
    "order-kfold-corrected": "order kfold.csv --dataset waveform --test corrected-t"
    " --prior nb,lda,tree,svm,mlp --method multitest",
    "overview-folds": "folds.csv --cost train_time",
    "overview-kfold": "kfold.csv",
    "rank-folds": "rank folds.csv",
    "rank-folds-ratios": "rank folds.csv --method adjusted-ratios --cost train_time --acc-d 0.1",
    "rank-folds-wins": "rank folds.csv --method significant-wins --test 5x2cv-t --alpha 0.1",
    "rank-folds-evaluate": "rank folds.csv --evaluate",
    "rank-folds-evaluate-points": (
        "rank folds.csv --evaluate --points datasets --top 2"
        " --method average-ranks --method copeland --method mean-score"
    ),
    "rank-folds-stability": "rank folds.csv --stability --n-resamples 200 --seed 3",
    "rank-wide": f"rank {_WIDE} worst --method median-ranks",
    "rank-wide-bradley-terry": f"rank {_WIDE} pairwise --method bradley-terry",
    "rank-wide-elo": f"rank {_WIDE} drop-datasets --method elo",
    "bayes-folds": "bayes folds.csv --rope auto --draws 400 --seed 1 --cost train_time",
    "bayes-folds-robust": "bayes folds.csv --rope 0.01 --robust --draws 200 --seed 1",
    "bayes-folds-hierarchical": (
        "bayes folds.csv --model hierarchical --pair tree,forest --rope 0.01 --draws 100 --seed 1"
    ),
    "bayes-wide-signed-rank": f"bayes {_WIDE} drop-datasets --model signed-rank --draws 200"
    " --rope 0.005",
    "bayes-wide-sign": f"bayes {_WIDE} pairwise --model sign --draws 200 --rope 0.005",
    "bayes-wide-bradley-terry": f"bayes {_WIDE} pairwise --model bradley-terry --draws 200",
    "bayes-wide-plackett-luce": f"bayes {_WIDE} drop-datasets --model plackett-luce --draws 200",
    "bayes-kfold": "bayes kfold.csv --model correlated-t --dataset waveform --rope 0.01",
    "rope-folds": "rope folds.csv",
    "audit-folds": "audit folds.csv --only pools,leave-one-out,conventions,symmetry,variants",
    "audit-wide": f"audit {_WIDE} pairwise --only pools,leave-one-out --test sign",
    "audit-wide-drop": f"audit {_WIDE} drop-datasets --only leave-one-out,symmetry --alpha 0.01",
    "power-folds": "power folds.csv --a tree --b forest --datasets 5,10 --trials 200",
    "power-means": "power --means A=0,B=1.5,C=5 --a A --b B --test sign --datasets 10,20",
    "power-each": "power folds.csv --a tree --b forest --each splits=1 --datasets 5,10 --trials 99",
    "variance-folds": "variance folds.csv --cost train_time --seed 3",
    "variance-kfold": "variance kfold.csv --alpha 0.1",
    "best-folds": "best folds.csv --dataset car --cost train_time",
    "best-folds-anova": "best folds.csv --dataset car --method anova --cost space",
    "best-kfold-testfirst": "best kfold.csv --method testfirst --test kfold-t --cost train_time",
    "best-kfold-newman-keuls": "best kfold.csv --method newman-keuls --cost train_time",
    "folds-kfold": "folds kfold.csv",
    "folds-kfold-tukey": "folds kfold.csv --test tukey --alpha 0.01",
    "folds-kfold-anova": "folds kfold.csv --test anova",
    "folds-folds-duncan": "folds folds.csv --dataset ecoli --test duncan",
    "predictions-mcnemar": "predictions predictions.csv",
    "predictions-cochran": "predictions predictions.csv --test cochran",
    "predictions-looney": "predictions predictions.csv --test looney-adjusted",
    "predictions-selection": "predictions predictions.csv --test multinomial-selection",
    "predictions-roc-hull": "predictions predictions.csv --test roc-hull --positive yes",
    "report-folds": "report folds.csv --cost train_time --method multi2test"
    " --checks pools,leave-one-out",
    "report-folds-pairwise": "report folds.csv --cost train_time --checks pools,leave-one-out",
    "report-wide": f"report {_WIDE} pairwise --checks leave-one-out",
    "report-kfold": "report kfold.csv --cost train_time --method multitest --checks none",
    "report-kfold-pairwise": "report kfold.csv --checks none",
    "report-bayes": "report folds.csv --cost none --model anova --rope 0.01 --checks none",
    "recommend-folds": "recommend folds.csv --budget 60s --cost train_time",
    "algorithms": "algorithms --paper ulas2008",
    "algorithms-one": "algorithms c45",
    "reproduce": "reproduce brazdil2000",
}

# In turn, in one folder: each needs what the one before has written.
EXPERIMENT: dict[str, str] = {
    "plan-before": "plan experiment.toml",
    "run": "run experiment.toml",
    "plan-after": "plan experiment.toml",
    "status": "status e.db",
    "retry": "retry e.db --status failed",
    "experiment-compare": "compare e.db",
    "experiment-order": "order e.db --prior nb,tree --method multi2test",
    "experiment-predictions": "predictions e.db --dataset iris",
    "experiment-report": "report e.db --cost none --checks none",
    "final": "final e.db --algorithm nb",
}

# What is asked wrongly, and is one line.
MISTAKES: tuple[str, ...] = (
    "order folds.csv --method multi2test",
    "order nowhere.csv",
    "order folds.csv --cost speed",
    "order folds.csv --method multi2test --test 5x2cv-g",
    "order folds.csv --test 5x2cv-f",
    "order folds.csv --method multi2test --prior svm,knn",
    "order folds.csv --dataset cars",
    "order kfold.csv --method multi2test",
    "order folds.csv --colum dataset=x",
    "compare wide.csv --score accuracy --missing error",
    "compare wide.csv",
    "compare wide.csv --score zeal --missing worst",
    "compare folds.csv --alpha 2",
    "compare folds.csv --correction nemenyi",
    "compare folds.csv --control oak",
    "compare folds.csv --column task=dataset",
    "compare folds.csv --column dataset=task",
    "compare folds.csv --figure drawing.bmp",
    "rank folds.csv --method averages",
    "rank folds.csv --evaluate --stability",
    "bayes folds.csv --rope wide",
    "bayes folds.csv --model anova --pair tree,svm",
    "audit folds.csv --only all",
    "power --a A --b B",
    "best folds.csv",
    "predictions folds.csv",
    "predictions predictions.csv --test roc-hull --positive maybe",
    "report",
    "recommend folds.csv --budget soon",
    "algorithms c46",
    "reproduce ulas2009",
    "run folds.csv",
    "status nowhere.db",
    "orders folds.csv",
)

# What a clock or the machine says differs each time: that there is such a key is what counts.
CHANGING = frozenset(
    {"seconds", "per_job", "seconds_left", "slowest", "machines", "versions", "palio"}
    | {"fit_time", "fit_cpu_time", "predict_time", "predict_cpu_time", "model_predict_cpu_time"}
    | {"predict_time_per_1000", "peak_memory", "model_bytes"}
)


@contextlib.contextmanager
def folder_of_tables() -> Iterator[Path]:
    """Work in a folder of its own, in which the tables are."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "tables"
        shutil.copytree(TABLES, folder)
        os.chdir(folder)
        try:
            yield folder
        finally:
            os.chdir(before)


def asked(command: str) -> tuple[int, str, str]:
    """Run a command: status, standard output, standard error."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(command.split())
    return status, out.getvalue(), err.getvalue()


def answer(command: str) -> Any:
    """Return what a command prints as JSON, without what changes each time."""
    status, out, err = asked(f"{command} --json")
    if status:
        raise RuntimeError(f"{command}: {err}")
    return still(json.loads(out))


def mistake(command: str) -> list[Any]:
    """Return the status of a command that fails, and its line, wherever the folder is."""
    status, _, err = asked(command)
    return [status, err.rstrip("\n").replace(str(Path.cwd()), "FOLDER")]


def still(value: Any) -> Any:
    """Return JSON without what changes each time."""
    if isinstance(value, dict):
        return {k: None if k in CHANGING else still(v) for k, v in value.items()}
    return [still(each) for each in value] if isinstance(value, list) else value


def rounded(value: Any) -> Any:
    """Return JSON with as many digits as are compared."""
    if isinstance(value, dict):
        return {key: rounded(each) for key, each in value.items()}
    if isinstance(value, list):
        return [rounded(each) for each in value]
    return float(f"{value:.11g}") if isinstance(value, float) else value


def record() -> None:
    """Write down what every command answers."""
    shutil.rmtree(ANSWERS, ignore_errors=True)
    ANSWERS.mkdir()
    with folder_of_tables():
        for name, command in (COMMANDS | EXPERIMENT).items():
            write(ANSWERS / f"{name}.json", rounded(answer(command)))
        write(ERRORS, {each: mistake(each) for each in MISTAKES})


def write(path: Path, value: Any) -> None:
    """Write JSON without blanks, but for the lines of a list of errors."""
    indent = 1 if path == ERRORS else None
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), indent=indent)
    path.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    record()
