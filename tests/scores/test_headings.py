"""What stands above the names in the first column may swap nothing without a word.

A corner heading may be that of the names below it or of those beside it: "Model" stands above data
sets too. The reading is right, or it is asked about with both ways.
"""

from __future__ import annotations

import pytest

from palio import read_scores
from palio.errors import UndecidedError

LEARNER_WORDS = """
model method classifier algorithm learner system approach estimator solver framework
Modell Verfahren Klassifikator Algorithmus modèle méthode classifieur algorithme
modelo método clasificador algoritmo modello metodo classificatore algoritmi 模型 方法 分类器 算法
"""
DATASET_WORDS = """
dataset data task benchmark problem corpus domain instance environment suite
Datensatz Daten Aufgabe Datenmenge jeu_de_données données tâche base_de_données
conjunto_de_datos datos tarea problema insieme_di_dati dati compito attività 数据集 数据 任务 基准
"""
OF_LEARNERS, OF_DATASETS = LEARNER_WORDS.split(), DATASET_WORDS.split()
LEARNERS = ("Random Forest", "SVM", "k-NN", "Naive Bayes")
DATASETS = ("iris", "wine", "zoo", "glass", "sonar")
SCORES = [[0.75 + 0.01 * a - 0.04 * d for d in range(5)] for a in range(4)]

headings = pytest.mark.parametrize("heading", OF_LEARNERS + OF_DATASETS)


def table_of(heading: str, *, learners_in_rows: bool) -> dict[str, list[object]]:
    rows, columns = (LEARNERS, DATASETS) if learners_in_rows else (DATASETS, LEARNERS)
    cells = SCORES if learners_in_rows else list(zip(*SCORES, strict=True))
    sides = {name: [row[place] for row in cells] for place, name in enumerate(columns)}
    return {heading.replace("_", " "): list(rows), **sides}


def assert_read_or_asked(
    table: dict[str, list[object]], expected: tuple[str, ...], *, in_rows: bool
) -> None:
    """Expect these algorithms; or a question with both ways, of which one gives them."""
    try:
        found = read_scores(table, score="accuracy")
    except UndecidedError as error:
        options = [each for way in error.options for each in way.all]
        ways = {each.value for each in options if each.parameter == "transpose"}
        found = read_scores(table, score="accuracy", transpose=in_rows)
    else:
        ways = {"True", "False"}
    assert (ways, found.algorithms) == ({"True", "False"}, expected)


def test_there_are_sixty_headings() -> None:
    assert len({*OF_LEARNERS, *OF_DATASETS}) == 60


@pytest.mark.parametrize("learners_in_rows", [True, False], ids=["learners", "datasets"])
@headings
def test_no_heading_swaps_in_silence(heading: str, *, learners_in_rows: bool) -> None:
    table = table_of(heading, learners_in_rows=learners_in_rows)
    assert_read_or_asked(table, LEARNERS, in_rows=learners_in_rows)


@headings
def test_the_heading_of_unknown_names_is_believed_or_asked_about(heading: str) -> None:
    table: dict[str, list[object]] = {heading.replace("_", " "): ["qx", "qy", "qz"]}
    table |= {"ra": [0.5, 0.75, 0.25], "rb": [0.25, 0.5, 0.75]}
    in_rows = heading in OF_LEARNERS
    assert_read_or_asked(table, ("qx", "qy", "qz") if in_rows else ("ra", "rb"), in_rows=in_rows)
