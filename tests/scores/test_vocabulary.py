"""Words that tell algorithms from data sets, and headings that tell roles."""

from __future__ import annotations

import re
import time
from importlib import resources

import pytest

from palio.scores.vocabulary import algorithm_share, dataset_share, heading_roles

DATA = resources.files("palio.scores") / "vocabulary_data"


def listed(file: str, section: str | None = None) -> list[str]:
    """Return the entries of a list, of one section or of all."""
    found, inside = [], ""
    for line in (DATA / file).read_text(encoding="utf-8").splitlines():
        if re.fullmatch(r"\[[a-z_]+( [\d.]+)?\]", line):
            inside = line.strip("[]")
        elif line and not line.startswith("#") and section in (None, inside):
            found.append(line)
    return found


def shares(*names: str) -> tuple[float, float]:
    return algorithm_share(names), dataset_share(names)


@pytest.mark.parametrize(
    "name",
    [
        "my-resnet50-ft",
        "acme/Foo-13B-chat-v2",
        "KNN (k=7)",
        "Random Forest (500)",
        "SVM (RBF, C=10)",
        "ppo_atari_fast.py",
        "TunedXGBoost",
        "StackedGRU",
        "HyperFooNet",
        "Barformer-L",
        "zork-8x22B",
        "quux-2024-05-13",
        "plonk-0613",
        "Plonk (few-shot)",
        "CSP+LDA",
        "foo + bar + qux",
        "FooBar++",
        "Frobnicate V2",
        "acme__embedder-small-v1.5",
        "LogisticRegression(C=1.0)",
        "Grommit()",
        "clf7",
        "Model F",
        "wav2vec2-large-custom",
        "FedWhatever",
        "GaussianNB_tuned",
        "AutoNSGA-IV",
        "LightGBM + target encoding",
        "**Deep Ensemble (M=5)**",
        ":class:`MiniRocketPlus`",
        r"\textbf{k-NN}",
        "[CatBoost](https://example.org/catboost)",
    ],
)
def test_algorithms_that_are_not_listed(name: str) -> None:
    known = {re.sub(r"\W|_", "", entry.lower()) for entry in listed("learners.txt")}
    assert re.sub(r"\W|_", "", name.lower()) not in known
    assert shares(name) == (1, 0)


@pytest.mark.parametrize(
    "name",
    [
        "survey_2019.csv",
        "data/wine_small.arff",
        "Pogo-v5",
        "ALE/Pogo-v4",
        "hopper-medium-foo-v2",
        "1028_ESL_new",
        "phpAbC1x2",
        "sales_train",
        "customers-test",
        "Q17",
        "f12",
        "dataset 4",
        "LibriSpeech test-noisy",
        "CIFAR-10 (Dirichlet 0.1)",
        "MMLU (5-shot)",
        "Higgs AUC",
        "Plonk Clean WER",
        "motion_blur / 3",
        "a/b/loop_true-unreach.c",
        "adult-census-2020",
        "FooRetrieval",
        "NewsIntentClassification",
        "KlingonQA",
        "KlingonMNIST",
        "PlonkBench",
        "DTLZ9",
        "ogbn-foo",
        "Label skew / Fashion-MNIST",
        "`iris`_",
    ],
)
def test_data_sets_that_are_not_listed(name: str) -> None:
    known = {re.sub(r"\W|_", "", entry.lower()) for entry in listed("datasets.txt", "inside")}
    assert re.sub(r"\W|_", "", name.lower()) not in known or name == "`iris`_"
    assert shares(name) == (0, 1)


@pytest.mark.parametrize(
    "name", ["2021", "17", "0.93", "https://example.org/llama-7b", "www.iris.org", "", "  ", "—"]
)
def test_names_of_neither(name: str) -> None:
    assert shares(name) == (0, 0)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("wine", (0, 1)),
        ("rf", (1, 0)),
        ("letter", (0, 1)),
        ("zoo", (0, 1)),
        ("adult", (0, 1)),
        ("music", (0, 1)),
        ("nn5", (0, 1)),  # though nn is a learner
        ("forest_fires", (0, 1)),  # though forests are learners
        ("svmguide1", (0, 1)),
        ("c", (0.5, 0)),  # a language may be anything
        ("German", (0, 1)),
        ("Danish", (0, 0.5)),
        ("en-de", (0, 0.5)),
        ("R2", (0, 0)),
        ("sonar", (0.5, 0.5)),  # a data set, and a model
        ("mnist-cnn", (0.5, 0.5)),
        ("bert-base-squad", (1, 0)),  # models are called after data
        ("rmse_test", (0, 0)),
        ("No answer", (0, 0)),
        ("WER", (0, 0)),
    ],
)
def test_ambiguous_names(name: str, expected: tuple[float, float]) -> None:
    assert shares(name) == expected


ALGORITHM_COLUMNS = {
    "classical": "C4.5 k-NN NaiveBayes SVM MLP RandomForest Bagging AdaBoost.M1 OneR ZeroR",
    "short": "rf lr nb svc knn xgb lgbm dt",
    "language models": "gpt-4o-mini Llama-3.1-8B-Instruct claude-3-haiku Qwen2-7B gemma-2-9b-it",
    "vision": "resnet18 vit_base_patch16 efficientnet_b0 convnext-tiny DenseNet-121 swin_t",
    "forecasting": "AutoARIMA ETS SeasonalNaive Prophet DeepAR PatchTST N-BEATS Theta",
    "time series": "ROCKET InceptionTime HIVE-COTEv2 1NN-DTW cBOSS TS-CHIEF",
    "anomalies": "IForest LOF OCSVM HBOS COPOD AutoEncoder",
    "reinforcement": "PPO DQN SAC TD3 Rainbow A2C",
    "evolutionary": "NSGA-II MOEA/D SMPSO CMA-ES GDE3",
    "graphs": "GCN GAT GraphSAGE GIN APPNP",
    "recommenders": "SVD++ NMF SlopeOne BPR LightGCN ItemKNN",
    "databases": "DuckDB PostgreSQL ClickHouse SQLite MySQL",
    "federated": "FedAvg FedProx SCAFFOLD Ditto",
    "settings": "clf1 clf2 clf3 clf4",
}
DATASET_COLUMNS = {
    "uci": "iris wine glass sonar vehicle letter yeast ionosphere hepatitis",
    "regression": "boston concrete kin8nm yacht abalone bodyfat airfoil",
    "time series": "ArrowHead GunPoint Coffee Wafer DistalPhalanxTW ECG200 StarLightCurves",
    "benchmarks": "MMLU GSM8K HumanEval ARC-C HellaSwag TruthfulQA WinoGrande",
    "vision": "CIFAR-10 SVHN ImageNet-R Food101 EuroSAT DTD",
    "speech": "LibriSpeech-clean TED-LIUM AMI CommonVoice Earnings22",
    "games": "Alien-v5 Breakout-v5 Pong-v5 Qbert-v5",
    "forecasting": "ETTh1 ETTm2 traffic electricity exchange_rate m4_hourly",
    "problems": "ZDT1 ZDT2 DTLZ7 WFG4 UF3",
    "graphs": "Cora CiteSeer PubMed ogbn-arxiv chameleon",
    "molecules": "tox21 BBBP QM9 ESOL FreeSolv HIV",
    "queries": "Q1 Q2 Q3 Q4 Q5",
    "files": "a_01.csv a_02.csv b_17.csv",
    "shops": "ML-1M Gowalla Amazon-Books Yelp2018",
}
OTHER_COLUMNS = {
    "years": "2019 2020 2021",
    "addresses": "https://a.org/bert https://b.org/gpt",
    "kinds": "binary multiclass regression",
    "access": "open proprietary Apache-2.0 MIT",
    "makers": "Google OpenAI Meta Anthropic Microsoft",
    "measures": "accuracy f1 rmse auc log_loss",
    "answers": "yes no",
    "people": "Alice Bob Carol Dave",
    "days": "2024-05-01 2024-05-02T10:00:00",
    "states": "ok timeout failed",
}


@pytest.mark.parametrize("names", ALGORITHM_COLUMNS.values(), ids=ALGORITHM_COLUMNS)
def test_columns_of_algorithms(names: str) -> None:
    algorithms, datasets = shares(*names.split())
    assert algorithms > 0.9
    assert datasets < 0.1


@pytest.mark.parametrize("names", DATASET_COLUMNS.values(), ids=DATASET_COLUMNS)
def test_columns_of_data_sets(names: str) -> None:
    algorithms, datasets = shares(*names.split())
    assert datasets > 0.9
    assert algorithms < 0.1


@pytest.mark.parametrize("names", OTHER_COLUMNS.values(), ids=OTHER_COLUMNS)
def test_columns_of_neither(names: str) -> None:
    assert max(shares(*names.split())) < 0.2


def test_languages_count_half() -> None:
    assert shares("c", "rust", "julia", "python", "go") == (0.5, 0)
    assert shares("Danish", "Dutch", "French", "en", "fr") == (0, 0.5)


def test_shares_are_of_distinct_names() -> None:
    assert shares("iris", "iris", "iris", "svm") == (0.5, 0.5)
    assert shares() == (0, 0)


HEADINGS = {
    "algorithm": "algorithm classifier_name Model clf Pipeline Competitor Solver Detector Tool "
    "modelName Verfahren Algorithmus Modell Lernverfahren Algorithme Modèle Détecteur Méthode "
    "Algoritmo Clasificador Modelo Metodo Classificatore Algoritme 模型 方法 算法",
    "dataset": "Data dataset_name ds Task Problem Environment Corpus Benchmark game Datensatz "
    "Datensätze Aufgabe Jeu_de_données Tâche Conjunto_de_datos Tarea Insieme_di_dati "
    "Conjunto_de_dados Gegevensset 数据集 任务",
    "fold": "fold cv_fold outer_fold Falte Pliegue",
    "repeat": "run Repetition resample Wiederholung Répétition Ejecución 重复",
    "seed": "seed random_state Graine Semilla 随机种子",
    "item": "question_id doc_id Frage",
    "metric": "metric Measure Maß Métrique Métrica Misura 指标",
    "status": "status Fehler État Estado 状态",
    "step": "epoch global_step Schritt Époque Época",
    "timestamp": "timestamp created_at Zeitstempel Fecha",
    "dataset_description": "n_samples #Samples rows classes ts_len anomaly_ratio Klassen Lignes "
    "Filas 样本数",
    "algorithm_description": "organization licence Params_(M) model_url architecture Lizenz "
    "Entreprise Licencia 参数量",
    "ignore": "rank # index notes Bemerkung Remarques Observaciones 排名",
}


@pytest.mark.parametrize(
    ("heading", "role"),
    [
        (heading.replace("_", " ") if "é" in heading else heading, role)
        for role, headings in HEADINGS.items()
        for heading in headings.split()
    ],
)
def test_headings(heading: str, role: str) -> None:
    roles = heading_roles(heading)
    assert roles[role] == max(roles.values())
    assert all(0 < weight <= 1 for weight in roles.values())


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("classifier_name", {"algorithm": 1}),
        ("name", {"algorithm": 0.3, "dataset": 0.3}),
        ("file", {"dataset": 0.4}),
        ("task", {"dataset": 0.8}),
        ("Data", {"dataset": 1}),
        ("**Dataset**", {"dataset": 1}),
        (r"\textbf{Method}", {"algorithm": 1}),
        ("Model size (B)", {"algorithm_description": 1}),
        ("Nom du modèle", {"algorithm": 1}),
        ("Nombre del algoritmo", {"algorithm": 1}),
        ("Name des Datensatzes", {"dataset": 1}),
        ("Method / Dataset", {"algorithm": 0.8, "dataset": 0.8}),
        ("fine-tuned model", {"algorithm": 0.5}),
        ("num leaves", {"dataset_description": 0.5}),
        ("demo url", {"algorithm_description": 0.8}),
        ("param_gamma", {"algorithm_description": 0.8}),
    ],
)
def test_weights_of_headings(heading: str, expected: dict[str, float]) -> None:
    assert heading_roles(heading) == pytest.approx(expected)


@pytest.mark.parametrize(
    "heading",
    ["Random Forest", "ImageNet-R", "accuracy", "train_score", "CV_F1", "", "0.5", "MMLU"],
)
def test_names_and_scores_are_no_headings(heading: str) -> None:
    assert heading_roles(heading) == {}


def test_what_is_returned_may_be_changed() -> None:
    heading_roles("model")["algorithm"] = 0
    assert heading_roles("model") == {"algorithm": 1}


def test_lists() -> None:
    assert len(listed("datasets.txt")) > 800
    for file in ("datasets.txt", "learners.txt"):
        for section in ("inside", "alone", "weak"):
            assert listed(file, section), (file, section)
    assert dataset_share(listed("datasets.txt", "inside")) > 0.99
    assert algorithm_share(listed("learners.txt", "inside")) > 0.99


@pytest.mark.parametrize(
    "letter", ["a", "(", "<", "_", "-", "+", "=", "/", "1", ".", "é", "\\", "["]
)
def test_hostile_names_take_no_time(letter: str) -> None:
    started = time.process_time()
    for name in (letter * 100_000, f"a{letter * 190}!", f"{letter}a" * 99):
        shares(name)
        heading_roles(name)
    assert time.process_time() - started < 1


def test_many_names() -> None:
    names = [f"name{number}-{number % 97}b" for number in range(100_000)]
    started = time.process_time()
    assert algorithm_share(names) == 1
    assert time.process_time() - started < 5  # about one second where nothing else runs
