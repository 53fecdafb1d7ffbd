"""Small valid files of every format, packing and importer, from which spoiled ones are made."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import zipfile
from collections.abc import Callable
from typing import Any

import pandas as pd

NAMES = {"dataset": ["iris", "wine", "vote"], "algorithm": ["knn", "tree", "svm"]}
FRAME = pd.DataFrame(
    [
        (dataset, algorithm, fold, 0.5 + 0.01 * (7 * i + 3 * j + fold), 1.5 * (j + 1))
        for i, dataset in enumerate(NAMES["dataset"])
        for j, algorithm in enumerate(NAMES["algorithm"])
        for fold in (1, 2)
    ],
    columns=["dataset", "algorithm", "fold", "accuracy", "train_time"],
)
RECORDS: list[dict[Any, Any]] = FRAME.to_dict(orient="records")
WIDE = FRAME.pivot_table(index="dataset", columns="algorithm", values="accuracy")
CSV = FRAME.to_csv(index=False)


def zipped(**members: str | bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def written(write: Callable[[io.BytesIO], object]) -> bytes:
    file = io.BytesIO()
    write(file)
    return file.getvalue()


def arff() -> str:
    head = "\n".join(f"@attribute {name} string" for name in FRAME)
    return f"% made\n@relation results\n{head}\n@data\n{CSV.partition(chr(10))[2]}"


def markdown() -> str:
    rows = [["algorithm", *WIDE.index], ["---"] * 4]
    rows += [[str(name), *(f"**{v:.3f}**" for v in WIDE[name])] for name in WIDE]
    return "# Results\n\n" + "\n".join(f"| {' | '.join(row)} |" for row in rows) + "\n"


ASLIB = (
    "@RELATION runs\n@ATTRIBUTE instance_id STRING\n@ATTRIBUTE repetition NUMERIC\n"
    "@ATTRIBUTE algorithm STRING\n@ATTRIBUTE runtime NUMERIC\n@ATTRIBUTE runstatus {ok, timeout}\n"
    "@DATA\nx,1,'a, b',1.5,ok\nx,1,c,2.5,ok\ny,1,'a, b',9,timeout\ny,1,c,0.5,ok\n"
)
WEKA = (
    "Key_Dataset,Key_Run,Key_Fold,Key_Scheme,Key_Scheme_options,Percent_correct\n"
    "iris,1,1,weka.J48,'-C 0.25',90\niris,1,1,weka.IBk,'',91\n"
    "wine,1,1,weka.J48,'-C 0.25',80\nwine,1,1,weka.IBk,'',85.5\n"
)
AMLB = (
    "framework,task,fold,metric,result,duration,info\n"
    "A,iris,0,auc,0.9,10,\nB,iris,0,auc,0.8,11,\nA,wine,0,auc,,3,timeout\n"
    "B,wine,0,auc,0.7,9,\n"
)
TABARENA = (
    "method,dataset,fold,metric_error,time_train_s\n"
    "A,x,0,0.1,1\nB,x,0,0.2,2\nA,y,0,0.3,3\nB,y,0,0.2,1\n"
)
LM_EVAL = {
    "results": {
        "arc": {"alias": "arc", "acc,none": 0.5, "acc_stderr,none": 0.01},
        "sum": {"exact_match,strict": 0.4},
    },
    "higher_is_better": {"arc": {"acc": True}, "sum": {"exact_match": True}},
    "config": {"model_args": "pretrained=a"},
    "versions": {"arc": 1},
    "date": 17.5,
}
MTEB = {
    "mteb_version": "1.2.3",
    "task_name": "STS12",
    "evaluation_time": 3.5,
    "scores": {"test": [{"main_score": 0.5, "hf_subset": "en"}, {"main_score": 0.6}]},
}
INSPECT = {
    "version": 2,
    "status": "success",
    "eval": {"task": "t", "model": "m", "created": "2024-01-01", "dataset": {"sample_ids": [1, 2]}},
    "results": {"scores": [{"name": "s", "metrics": {"accuracy": {"value": 0.5}}}]},
    "stats": {
        "started_at": "2024-01-01T10:00:00+00:00",
        "completed_at": "2024-01-01T10:00:09+00:00",
        "model_usage": {"m": {"total_tokens": 9}},
    },
    "samples": [
        {"id": 1, "epoch": 1, "scores": {"s": {"value": "C"}}},
        {"id": 2, "epoch": 1, "scores": {"s": {"value": 0.5}}},
    ],
}
EEE = {
    "schema_version": "0.2.0",
    "evaluation_id": "x/1",
    "model_info": {"id": "m"},
    "evaluation_results": [
        {
            "evaluation_name": "arc",
            "metric_config": {"metric_name": "accuracy", "lower_is_better": False},
            "score_details": {"score": 0.5},
        }
    ],
}
SAMPLES = "\n".join(json.dumps({"doc_id": n, "acc": n % 2, "filter": "none"}) for n in range(4))

TEXTS: dict[str, str] = {
    "long.csv": CSV,
    "wide.csv": WIDE.to_csv(),
    "decimal.csv": CSV.replace(",", ";").replace(".", ","),
    "long.tsv": CSV.replace(",", "\t"),
    "spaces.txt": CSV.replace(",", "  "),
    "items.csv": "dataset,item,knn,tree\nx,1,0,1\nx,2,1,1\ny,3,0,0\ny,4,1,0\n",
    "predictions.csv": "truth,tree,knn\nno,no,yes\nyes,yes,yes\nno,yes,no\n",
    "written.csv": "model,iris,wine,Average\nknn,86.9%,0.85 ± 0.02,OOM\ntree,**0.9**,0.7*,-\n",
    "records.json": json.dumps(RECORDS),
    "columns.json": json.dumps(FRAME.to_dict(orient="list")),
    "nested.json": json.dumps(
        {"knn": {"iris": [0.5, 0.6], "wine": [0.7]}, "svm": {"iris": [0.1], "wine": [0.2]}}
    ),
    "rows.jsonl": "\n".join(map(json.dumps, RECORDS)),
    "table.arff": arff(),
    "table.md": markdown(),
    "no_ending": CSV,
    "runs.arff": ASLIB,
    "weka.csv": WEKA,
    "amlb.csv": AMLB,
    "tabarena.csv": TABARENA,
    "ROCKET_accuracy.csv": "Resamples:,0,1\niris,0.9,0.8\nwine,0.7,0.6\n",
    "results_2024.json": json.dumps(LM_EVAL),
    "samples_arc.jsonl": SAMPLES,
    "mteb.json": json.dumps(MTEB),
    "inspect.json": json.dumps(INSPECT),
    "eee.json": json.dumps(EEE),
}


def in_excel(file: io.BytesIO) -> None:
    WIDE.to_excel(file)


def binaries() -> dict[str, bytes]:
    """Return the files that are no text."""
    text = CSV.encode()
    return {
        "t.parquet": written(lambda file: FRAME.to_parquet(file)),
        "indexed.parquet": written(lambda file: WIDE.to_parquet(file)),
        "t.xlsx": written(in_excel),
        "t.csv.gz": gzip.compress(text),
        "t.json.gz": gzip.compress(TEXTS["records.json"].encode()),
        "t.csv.bz2": bz2.compress(text),
        "t.csv.xz": lzma.compress(text),
        "t.csv.zip": zipped(**{"t.csv": text}),
        "log.eval": zipped(
            **{
                "header.json": json.dumps({k: v for k, v in INSPECT.items() if k != "samples"}),
                "samples/1.json": json.dumps(INSPECT["samples"][0]),  # type: ignore[index]
            }
        ),
    }


def corpus() -> dict[str, bytes]:
    """Return every file by its name, whose ending tells what it is."""
    return {**{name: text.encode() for name, text in TEXTS.items()}, **binaries()}


EXPERIMENTS = (
    """
name = "trees"
datasets = ["sklearn:wine", "sklearn:iris"]
resampling = "5x2"
scoring = ["accuracy", "f1_macro"]
seeds = 2
aside = "1/3"
store = "trees.db"

[algorithms]
nb = "sklearn.naive_bayes:GaussianNB"

[algorithms.tree]
estimator = "sklearn.model_selection:GridSearchCV"
params.param_grid = { max_depth = [1, 3, 10] }
params.estimator = { estimator = "sklearn.tree:DecisionTreeClassifier" }
""",
    """
datasets = ["sklearn:wine"]
algorithms = ["sklearn.neighbors:KNeighborsClassifier", "sklearn.dummy:DummyClassifier"]
resampling = "10-fold"
engine = "local"
n_jobs = 2
time_limit = 60.0
memory_limit = 4_000_000_000
seed = 7
""",
    """
datasets = ["sklearn:iris"]
max_rows = 60
binary = true
[algorithms.svm]
estimator = "sklearn.pipeline:Pipeline"
params.steps = [
    ["pca", { estimator = "sklearn.decomposition:PCA", params = { n_components = 3 } }],
    ["svm", { estimator = "sklearn.svm:SVC", params = { C = 1.5, kernel = "rbf" } }],
]
[algorithms.knn]
estimator = "sklearn.neighbors:KNeighborsClassifier"
params = { n_neighbors = 3 }
tune = false
""",
)
