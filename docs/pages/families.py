"""Which registries have pages, what documents each of their entries, and how it is called."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from palio.bayes.models import MODELS
from palio.comparison import (
    AUDIT_CHECKS,
    CORRECTIONS,
    FOLD_TESTS,
    GROUP_TESTS,
    ITEM_TESTS,
    OMNIBUS_TESTS,
    PAIR_TESTS,
    POSTHOCS,
    PREDICTION_TESTS,
    bayes_tests,
)
from palio.ordering import FINDERS, ORDERINGS, RANKINGS
from palio.registry import Later
from palio.stats import across, posthoc
from palio.words import joined

__all__ = ["FAMILIES", "TABLE", "Family"]

TABLE = 'import palio\n\ntable = palio.load_study("ulas2008")'
"""The study that most examples are on."""

_PAIR = """
pair = table.select(algorithms=["svr", "svl"])
columns = ["a", "b", "p_a_better", "p_rope", "p_b_better"]"""

_PREDICTIONS = """\
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import palio

X, y = load_breast_cancer(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
models = {
    "nb": GaussianNB(),
    "tree": DecisionTreeClassifier(random_state=0),
    "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
}
for model in models.values():
    model.fit(X_train, y_train)
predictions = palio.Predictions.from_arrays(
    y_test,
    {name: model.predict(X_test) for name, model in models.items()},
    probabilities={name: model.predict_proba(X_test) for name, model in models.items()},
    classes=[0, 1],
)"""


@dataclass(frozen=True)
class Family:
    """A registry whose entries have a page each.

    The docstring of an entry's function says what a method is, or of what that one ``wraps``;
    ``documented`` holds others. ``call`` and ``command`` are patterns for an example, of which
    ``{name}`` is the entry's; ``calls`` are those that need another one, ``None`` for none.
    ``remarks`` go before the docstring, where the method puts a function to a use of its own.
    """

    slug: str
    title: str
    question: str
    intro: str
    registry: Mapping[str, Any]
    call: str
    command: str
    documented: Mapping[str, Callable[..., object]] = field(default_factory=dict)
    calls: Mapping[str, str | None] = field(default_factory=dict)
    commands: Mapping[str, str] = field(default_factory=dict)
    remarks: Mapping[str, str] = field(default_factory=dict)
    setup: str = TABLE

    def __iter__(self) -> Iterator[str]:
        return iter(self.registry)

    def function(self, name: str) -> object:
        """Return what documents an entry."""
        entry = self.registry[name]
        own = (getattr(entry, attribute, None) for attribute in ("bind", "adjust", "run"))
        found = self.documented.get(name) or next(each for each in own if each is not None)
        return inspect.unwrap(found.load() if isinstance(found, Later) else found)

    def example(self, name: str) -> str | None:
        """Return the expression that the page of an entry shows, with what it gives."""
        return self.calls.get(name, self.call.format(name=name))

    def typed(self, name: str) -> str:
        """Return how it is asked on the command line."""
        return self.commands.get(name, self.command.format(name=name))


_ON_ONE = 'palio.multitest(table, dataset="optdigits", cost="train_time", '
_OVER_ALL = 'palio.multi2test(table, cost="train_time", '

_ON_RANKS = (
    "The ranks are those that MultiTest gave on each data set, all algorithms together; so the "
    "verdict on two of them depends on the others. "
)
_CONTESTS = (
    "On each data set MultiTest chooses between the two alone, and no other algorithm has a say. "
)


def _pool_free() -> str:
    return joined(
        [f"`{name}`" for name, test in PAIR_TESTS.items() if "pool-free" in test.properties]
    )


FAMILIES: tuple[Family, ...] = (
    Family(
        "orderings",
        "Orderings",
        "In what order do the algorithms follow, at this cost?",
        "Of algorithms that no test tells apart the cheaper comes first; the costlier comes first "
        "only where a test says that it is better. The default takes the pairs of a "
        "[comparison](../pairs/index.md); the papers' own take any test of "
        "[two algorithms on folds](../folds/index.md).",
        ORDERINGS,
        call="",
        command="",
        calls={
            "pairwise": 'palio.order(table, cost="train_time")',
            "multitest": _ON_ONE.removesuffix(", ") + ")",
            "multi2test": _OVER_ALL.removesuffix(", ") + ")",
        },
        commands={
            "pairwise": "palio order results.csv --cost train_time",
            "multitest": (
                "palio order results.csv --cost train_time --method multitest --dataset optdigits"
            ),
            "multi2test": "palio order results.csv --cost train_time --method multi2test",
        },
    ),
    Family(
        "folds",
        "Two algorithms on folds",
        "On one data set, is one of two algorithms better?",
        "Both algorithms are trained and tested on the same folds of one data set. These are the "
        "tests inside [MultiTest and Multi²Test](../orderings/index.md). Which of them a table "
        "allows depends on how it was resampled, and Palio refuses the others.",
        FOLD_TESTS,
        call=_ON_ONE + 'test="{name}")',
        command="palio compare results.csv --dataset optdigits --test {name}",
        calls={"calibrated-t": None},  # the study has 5×2 folds, for which nobody calibrated it
    ),
    Family(
        "groups",
        "Several algorithms on folds",
        "On one data set, do any of several algorithms differ, and which do not?",
        "Analysis of variance and its relatives, and the range tests, which underline algorithms "
        "between which no difference was found. They take the folds of each algorithm as samples "
        "of their own: where the algorithms share folds, "
        "[tests on pairs](../folds/index.md) see more.",
        GROUP_TESTS,
        call='palio.compare_folds(table, dataset="optdigits", test="{name}")',
        command="palio compare results.csv --dataset optdigits --test {name}",
    ),
    Family(
        "best",
        "The best on one data set",
        "Which single algorithm is the best on one data set?",
        "MultiTest always finds one. Its rivals do not always.",
        FINDERS,
        call='palio.find_best(table, method="{name}", dataset="pendigits", cost="train_time").best',
        command="palio best results.csv --dataset pendigits --cost train_time --method {name}",
    ),
    Family(
        "second-pass",
        "Second passes of Multi²Test",
        "Over the data sets, which pairs differ by the ranks that MultiTest gave them?",
        "[Multi²Test](../orderings/multi2test.md) first orders the algorithms on each data set. "
        "A second pass then says which pairs differ over all data sets.",
        POSTHOCS,
        call=_OVER_ALL + 'posthoc="{name}")',
        command="palio order results.csv --cost train_time --method multi2test --posthoc {name}",
        documented={
            "nemenyi": posthoc.nemenyi,
            "wilcoxon-holm": across.wilcoxon,
            "sign-holm": across.sign_test,
            "pairwise-sign": across.sign_test_counts,
            "bayes": bayes_tests.preferred,
        },
        remarks={
            "nemenyi": _ON_RANKS + "Nemenyi's test compares their means.",
            "wilcoxon-holm": _ON_RANKS + "Wilcoxon's test compares them pair by pair, with "
            "[Holm's correction](../corrections/holm.md).",
            "sign-holm": _ON_RANKS + "The sign test compares them pair by pair, with "
            "[Holm's correction](../corrections/holm.md).",
            "pairwise-sign": _CONTESTS + "The sign test asks whether one is chosen more often than "
            "the other, with [Holm's correction](../corrections/holm.md).",
            "bayes": _CONTESTS + "The posterior of how often one is chosen says how sure it is "
            "that this is more than half of the time.",
        },
    ),
    Family(
        "pairs",
        "Pairs over many data sets",
        "Over many data sets, who differs from whom?",
        "Each data set counts once, with the mean over its folds. With more than two algorithms "
        "the p-values need a [correction](../corrections/index.md). The verdict of "
        f"{_pool_free()} on two algorithms does not depend on which others are compared; that of "
        "the others does.",
        PAIR_TESTS,
        call='palio.compare(table, test="{name}")',
        command="palio compare results.csv --test {name}",
    ),
    Family(
        "items",
        "Pairs over items",
        "On other items of these data sets, who differs from whom?",
        "There is a score on each item (a question, a test instance), and other items of the same "
        "data sets are what is asked about; over other data sets, see "
        "[pairs over many data sets](../pairs/index.md). Each pair is compared on the items that "
        "both have; items may come in clusters, such as the questions on one passage.",
        ITEM_TESTS,
        call='palio.compare(predictions.to_items(), over="items", test="{name}")',
        command="palio compare answers.csv --over items --test {name}",
        calls={"cluster-flips": None},  # these items have no clusters
        remarks={
            "permutation": "The difference per item, all data sets together; the signs of whole "
            "clusters are flipped where there are any.",
        },
        setup=_PREDICTIONS,
    ),
    Family(
        "omnibus",
        "All algorithms over many data sets",
        "Over many data sets, does any algorithm differ from any other?",
        "One p-value for all algorithms together. `compare` always gives it beside the pairs, and "
        "it never hides them.",
        OMNIBUS_TESTS,
        call='palio.compare(table, omnibus="{name}").omnibus.p_value',
        command="palio compare results.csv --omnibus {name}",
    ),
    Family(
        "corrections",
        "Corrections",
        "With so many pairs tested at once, which p-values are small enough?",
        "Eight algorithms make 28 pairs, and of 28 tests at 5 % more than one errs on average if "
        "nothing differs. A correction makes the p-values larger, so that the whole family of "
        "tests errs as seldom as one should.",
        CORRECTIONS,
        call='palio.compare(table, correction="{name}")',
        command="palio compare results.csv --correction {name}",
        calls={
            "li": 'palio.compare(table, correction="li", control="svr")',
            "nemenyi": 'palio.compare(table, test="mean-ranks", correction="nemenyi")',
        },
        commands={
            "li": "palio compare results.csv --correction li --control svr",
            "nemenyi": "palio compare results.csv --test mean-ranks --correction nemenyi",
        },
    ),
    Family(
        "predictions",
        "Predictions",
        "Instance by instance, do classifiers differ?",
        "When all that there is is one test set, and what each classifier said of each of its "
        "instances.",
        PREDICTION_TESTS,
        call='palio.compare_predictions(predictions, test="{name}")',
        command="palio compare predictions.csv --test {name}",
        setup=_PREDICTIONS,
    ),
    Family(
        "bayes",
        "Bayesian models",
        "How probable is it that one is better, practically equal, worse?",
        "Each model gives probabilities of three things: the first is better by more than the "
        "region of practical equivalence, the two are practically equal, the second is better. "
        "`palio rope` suggests a region from the table itself; with none every difference counts. "
        "Measures that have a unit, such as RMSE, are compared by ratios.",
        MODELS,
        call="palio.bayes.{name}(pair, rope=1.0).probabilities()[columns]",
        command="palio bayes results.csv --model {name} --rope 1.0",
        calls={
            "anova": "palio.bayes.anova(table, rope=1.0).best()",
            "signed-rank": "palio.bayes.signed_rank(pair, rope=1.0).probabilities()[columns]",
            "correlated-t": 'palio.bayes.correlated_t(pair, dataset="optdigits", rope=0.3)'
            ".probabilities()[columns]",
            "hierarchical": "palio.bayes.hierarchical(pair, rope=1.0).probabilities()[columns]",
            "outcomes": None,  # the study has no items
            "hierarchical-items": None,
            "bradley-terry": "palio.bayes.bradley_terry(table, rope=0.05).best()",
            "plackett-luce": "palio.bayes.plackett_luce(table, rope=0.05).best()",
        },
        commands={
            "correlated-t": "palio bayes results.csv --model correlated-t --dataset optdigits",
            "hierarchical": "palio bayes results.csv --model hierarchical --pair svr,svl",
            "outcomes": "palio bayes answers.csv --model outcomes --rope 0.01",
            "hierarchical-items": "palio bayes answers.csv --over items --rope 0.01",
            "bradley-terry": "palio bayes results.csv --model bradley-terry",
            "plackett-luce": "palio bayes results.csv --model plackett-luce",
        },
        setup=TABLE + _PAIR,
    ),
    Family(
        "rankings",
        "Rankings",
        "Which algorithm should be tried first on a new data set?",
        "A ranking says what to try, and in which order. No ranking is right for every data set: "
        "`evaluate_rankings` says how well each foretells one that it has not seen, and "
        "`rank_stability` how firm each place is.",
        RANKINGS,
        call='palio.rank(table, method="{name}")',
        command="palio rank results.csv --method {name}",
        calls={
            "adjusted-ratios": 'palio.rank(table, method="adjusted-ratios", cost="space")',
            "multi2test": 'palio.rank(table, method="multi2test", cost="train_time")',
        },
        commands={
            "adjusted-ratios": "palio rank results.csv --method adjusted-ratios --cost space",
            "multi2test": "palio rank results.csv --method multi2test --cost train_time",
        },
    ),
    Family(
        "audit",
        "Checks of an audit",
        "Which verdicts depend on a choice, a data set or the pool?",
        "An audit asks the question of a comparison again, in other ways, and says where the "
        "answer would change. Doubt is counted from conventions that we recommend; what is only in "
        "use is listed apart. A pair that no check casts doubt on is *sound*.",
        AUDIT_CHECKS,
        call='print(palio.audit(table, only=["{name}"]))',
        command="palio audit results.csv --only {name}",
    ),
)
