"""Keys: the same content gives the same key in any process, and other content another."""

import functools
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin  # type: ignore[import-untyped]
from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]
from sklearn.tree import DecisionTreeClassifier  # type: ignore[import-untyped]

import palio
from palio.errors import ParameterError
from palio.experiment.identity import describe, digest, digest_each, lasting_name
from palio.experiment.plan import make_plan

# Whatever may differ between processes is in here: sets of text, whose order changes with the hash
# seed; classes that know each other; sklearn's own additions to a class; closures; lambdas.
SCRIPT = textwrap.dedent(
    """
    from functools import cache
    import numpy as np
    from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer

    NAMES = {"alpha", "beta", "gamma", "delta"}

    @cache
    def helper(value):
        return value + SHIFT if value not in {"one", "two", "three", "four"} else Other

    SHIFT = 1

    def scale(factor):
        return lambda x: x * factor

    class Other:
        def friend(self):
            return Mine()

    class Mine(ClassifierMixin, BaseEstimator):
        kinds = NAMES
        limits = {"b": Other, "a": np.float64(2.5)}

        def __init__(self, power=2, how=None):
            self.power = power
            self.how = how

        def fit(self, X, y, sample_weight=None):
            super().__init__()
            self.classes_ = np.unique(y)
            self.shift_ = helper(self.power)
            return self

        def predict(self, X):
            assert isinstance(self, Mine)
            return np.repeat(self.classes_[:1], len(X))

        @property
        def twice(self):
            return [helper(each) for each in (self.power, self.power)]

        @staticmethod
        def still(x, *, by=3):
            return x ** by

    class Moves(TransformerMixin, BaseEstimator):
        def fit(self, X, y=None):
            return self

        def transform(self, X):
            return X

    algorithms = {
        "mine": Mine(how=scale(3)),
        "other": Mine(how=scale(4)),
        "piped": make_pipeline(Moves(), FunctionTransformer(np.log1p), Mine(3, how=NAMES)),
    }
    """
)


TELL = """
from palio.experiment.identity import digest_each
print(*digest_each(algorithms.values()))
"""


def digests(script: str) -> list[str]:
    """Look at what a script defines, as if it were the one that was started."""
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(script, "<script>", "exec", dont_inherit=True), space)
    return digest_each(space["algorithms"].values())


def test_the_search_is_found_again_where_it_always_was() -> None:
    """Its module is in the keys of finished jobs: if it moved, all would be run again."""
    assert lasting_name(palio.FreeSearchCV) == "palio.experiment.tuning.FreeSearchCV"


def test_a_class_of_a_script_has_the_same_key_in_every_process(tmp_path: Path) -> None:
    moved = SCRIPT.replace("@cache", "# a comment, which is no content\n\n@cache")
    found = []
    for hash_seed, script in (("1", SCRIPT), ("2", SCRIPT), ("3", moved)):
        place = tmp_path / f"script{hash_seed}.py"
        place.write_text(script + TELL, encoding="utf-8")
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        done = subprocess.run(
            [sys.executable, str(place)], env=environment, capture_output=True, check=True
        )
        found.append(done.stdout.decode().split())
    assert found == [digests(SCRIPT)] * 3
    assert len(set(found[0])) == 3  # three algorithms, three contents


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("value + SHIFT", "value - SHIFT"),  # the code of a function that a method calls
        ("SHIFT = 1", "SHIFT = 2"),  # a global that such a function uses
        ('"delta"', '"epsilon"'),  # an attribute of the class
        ("by=3", "by=4"),  # the default of a method
        ("return Mine()", "return 1"),  # a class that is only mentioned
        ("x * factor", "x + factor"),  # a function that is a parameter
    ],
)
def test_what_a_class_of_a_script_does_is_its_key(old: str, new: str) -> None:
    assert SCRIPT.count(old) == 1
    assert digests(SCRIPT.replace(old, new))[0] != digests(SCRIPT)[0]


def local_class(number: int) -> Any:
    class Local(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
        def fit(self, X: Any, y: Any) -> Any:
            self.classes_ = np.unique(y)
            return self

        def predict(self, X: Any) -> Any:
            return np.repeat(self.classes_[number : number + 1], len(X))

    return Local


def test_a_local_class_is_its_code_and_what_it_closes_over() -> None:
    one, again, two = local_class(1), local_class(1), local_class(2)
    assert one is not again
    assert describe(one()) == describe(again()) != describe(two())


def test_running_code_does_not_change_its_key() -> None:
    """The interpreter rewrites bytecode that runs often."""
    estimator = local_class(0)()
    before = digest(estimator)
    X, y = np.zeros((4, 1)), np.array([0, 1, 0, 1])
    for _ in range(200):
        estimator.fit(X, y).predict(X)
    assert digest(type(estimator)()) == before


def test_each_is_what_it_is_alone() -> None:
    values = [local_class(1)(), local_class(2)(), "text", LogisticRegression(C=2.0)]
    assert digest_each(values) == [digest(value) for value in values]


class Bound:
    def __init__(self, number: int) -> None:
        self.number = number

    def method(self) -> int:
        return self.number


@pytest.mark.parametrize(
    ("one", "same", "other"),
    [
        (np.float64(1.5), 1.5, 1.25),
        (np.str_("a"), "a", "b"),
        ({"a", "b", "c"}, {"c", "b", "a"}, {"a", "b"}),
        ({"x": 1, "y": 2}, {"y": 2, "x": 1}, {"x": 2, "y": 1}),
        (
            np.array(["a" * 9, None], dtype=object),
            np.array(["aaa" * 3, None], dtype=object),
            np.array(["b" * 9, None], dtype=object),
        ),
        (np.arange(3), np.arange(6)[:3], np.arange(3.0)),
        (np.arange(6).reshape(2, 3).T, np.array([[0, 3], [1, 4], [2, 5]]), np.arange(6)),
        (Bound(1).method, Bound(1).method, Bound(2).method),
        (functools.partial(max, 1), functools.partial(max, 1), functools.partial(max, 2)),
        (np.random.RandomState(0), np.random.RandomState(0), np.random.RandomState(1)),
        (1, 1, 1.0),
        ("1", "1", 1),
    ],
)
def test_content_alone_counts(one: object, same: object, other: object) -> None:
    assert describe(one) == describe(same)
    assert describe(one) != describe(other)


def test_equal_parts_need_not_be_one_object() -> None:
    """A pickle tells them apart; for a key they are the same."""
    part = Bound(1)
    assert describe([part, part]) == describe([part, Bound(1)])
    ring = Bound(1)
    ring.number = ring  # type: ignore[assignment]
    assert describe(ring) == describe(ring)


def test_what_holds_itself_is_a_clear_error() -> None:
    ring: list[object] = []
    ring.append(ring)
    with pytest.raises(ParameterError, match="algorithms: list holds itself"):
        describe(ring)


def test_a_plan_is_not_changed_by_changing_its_estimators() -> None:
    tree = DecisionTreeClassifier(max_depth=1)
    plan = make_plan(["sklearn:iris"], {"tree": tree}, resampling="2-fold")
    tree.set_params(max_depth=9)
    later = make_plan(["sklearn:iris"], {"tree": tree}, resampling="2-fold")
    assert plan.jobs[0].estimator.max_depth == 1
    assert plan.jobs[0].key != later.jobs[0].key


def test_an_estimator_that_cannot_be_copied_is_a_clear_error() -> None:
    with pytest.raises(ParameterError, match="algorithms: 'bad' cannot be copied"):
        make_plan(["sklearn:iris"], {"bad": DecisionTreeClassifier(max_depth=np)})


def test_the_key_of_a_job_is_that_of_its_parts() -> None:
    """Whether the hash of the estimator was handed over or not."""
    from dataclasses import replace

    (job,) = make_plan(["sklearn:iris"], {"t": DecisionTreeClassifier()}, resampling="2-fold").jobs
    assert replace(job, content="").key == job.key
    assert replace(job, algorithm="another name").key == job.key
    assert replace(job, splits=job.splits[::-1]).key != job.key
    assert replace(job, scoring=("f1_macro",)).key != job.key
    assert replace(job, seed=1).key != job.key


def test_an_array_of_objects_is_its_values_not_where_they_lie() -> None:
    one, two = (np.array(["".join(["wi", "ne"]), 10**20], dtype=object) for _ in range(2))
    two[0] = "".join(["w", "ine"])
    assert one[0] is not two[0]
    assert digest(one) == digest(two)
    two[0] = "beer"
    assert digest(one) != digest(two)
