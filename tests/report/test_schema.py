"""The JSON Schema of any result comes from its types."""

from __future__ import annotations

import json
import sys
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import numpy as np
import pytest

import palio
from palio.bayes.answer import PosteriorAnswer
from palio.comparison.aggregates import Aggregates
from palio.comparison.audit import Audit
from palio.comparison.power import Power
from palio.comparison.results import Comparison
from palio.errors import MissingExtraError
from palio.ordering import RankStability
from palio.ordering.rankings import Ranking
from palio.ordering.result import Ordering
from palio.report.schema import result_schema
from palio.results import Result


def gaps() -> palio.ScoreTable:
    """A table with a hole and lower values better: some of its numbers are null in JSON."""
    scores = np.random.default_rng(1).uniform(0.1, 0.4, (5, 3))
    scores[0, 0] = np.nan
    return palio.ScoreTable.from_arrays(
        scores, datasets=list("vwxyz"), algorithms=list("abc"), measure="error", missing="pairwise"
    )


STUDY = palio.load_study("ulas2008").select(algorithms=["svr", "svl", "c45"])
BASE = "baseline=c45"
RESULTS: dict[str, tuple[type[Result], Any]] = {
    "comparison": (Comparison, lambda: palio.compare(STUDY, control="svr")),
    "with gaps": (Comparison, lambda: palio.compare(gaps())),
    "multi2test": (Ordering, lambda: palio.multi2test(STUDY, cost="train_time")),
    "multitest": (Ordering, lambda: palio.multitest(STUDY, dataset="zoo", prior=STUDY.algorithms)),
    "ranking": (Ranking, lambda: palio.rank(STUDY)),
    "stability": (RankStability, lambda: palio.rank_stability(STUDY, n_resamples=20)),
    "aggregates": (Aggregates, lambda: palio.aggregate(STUDY, normalise="min-max")),
    "aggregates without a target": (Aggregates, lambda: palio.aggregate(STUDY, normalise=BASE)),
    "audit": (Audit, lambda: palio.audit(STUDY, only=["pools", "leave-one-out", "variants"])),
    "variance": (palio.Variance, lambda: palio.variance(STUDY, cost="train_time")),
    "variance of gaps": (palio.Variance, lambda: palio.variance(gaps())),
    "posterior": (PosteriorAnswer, lambda: palio.bayes.sign(STUDY, rope=1.0, draws=200).answer()),
}


@pytest.mark.parametrize(("kind", "make"), RESULTS.values(), ids=RESULTS)
def test_a_result_is_as_its_types_say(kind: type[Result], make: Any) -> None:
    schema = result_schema(kind)
    jsonschema.Draft202012Validator.check_schema(schema)
    found = json.loads(json.dumps(make().to_dict(), allow_nan=False))
    validator = jsonschema.Draft202012Validator(schema)
    validator.validate(found)
    assert set(schema["properties"]) == {"kind", *kind.parts}
    for broken in ({**found, "surprise": 1}, {**found, "kind": "other"}, {**found, "notes": 7}):
        with pytest.raises(jsonschema.ValidationError):
            validator.validate(broken)


def test_results_inside_a_report_may_hold_more() -> None:
    validator = jsonschema.Draft202012Validator(palio.report_schema())
    report = palio.analyse(gaps(), checks=[]).to_dict()
    report["comparison"]["pairs"][0]["extra"] = 1
    validator.validate(report)
    report["order"]["rows"][0]["extra"] = 1
    with pytest.raises(jsonschema.ValidationError):
        validator.validate(report)


def test_without_pydantic_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydantic.json_schema", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'palio\[run\]'"):
        result_schema(Power)
