"""Evaluations of models, as JSON: MTEB, HELM, Every Eval Ever, lm-evaluation-harness, Inspect.

Each reader makes `Result`s of its files, which become columns in one way.
"""

from __future__ import annotations

import json
import re
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from palio.errors import UnreadableError
from palio.measures import is_known_score
from palio.scores.columns import Columns, Known
from palio.scores.formats import check_archive, opened, text_of
from palio.scores.frames import from_pandas
from palio.scores.importers.tables import note_on
from palio.scores.limits import MalformedError, check_nested
from palio.scores.metrics import direction_within
from palio.words import count, listed, one_line

if TYPE_CHECKING:
    import pandas as pd


class Sample(NamedTuple):
    """What an algorithm reached on one item; two of the same name with other marks are not one."""

    item: str
    scores: Mapping[str, float]
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """What one algorithm reached on one data set.

    ``keys`` are its repeat and status. ``when`` says which of two is the newer one. ``samples`` are
    the items behind it, where they are there. One with samples only is of the result beside it, if
    there is one, or their mean.
    """

    dataset: str
    algorithm: str
    scores: Mapping[str, float]
    costs: Mapping[str, float] = field(default_factory=dict)
    keys: Mapping[str, str] = field(default_factory=dict)
    when: str = ""
    samples: Sequence[Sample] = ()

    @property
    def has_only_samples(self) -> bool:
        """Whether the score is to be found elsewhere."""
        return bool(self.samples) and not self.scores and self.keys.get("status", "ok") == "ok"


@dataclass(frozen=True)
class ResultSet:
    """What an importer found; ``directions`` say of measures whether higher is better."""

    results: Sequence[Result]
    notes: Sequence[str] = ()
    directions: dict[str, bool] = field(default_factory=dict)

    def to_columns(self, name: str, source: str) -> Columns:
        """Make columns, one per measure and cost, and say which measure is asked about.

        It is the first that every result has. If there is none, it is each data set's own first
        one of which the direction is known, under the name ``score`` and turned so that higher is
        better.
        """
        import pandas as pd

        results, told = _with_samples(self.results)
        results, older = _newest(results)
        keys, scores, costs = (
            pd.DataFrame([dict(getattr(each, kind)) for each in results])
            for kind in ("keys", "scores", "costs")
        )
        names = pd.DataFrame([(each.dataset, each.algorithm) for each in results])
        names.columns = ["dataset", "algorithm"]
        keys = keys.loc[:, keys.nunique() > 1]  # what is the same of all tells nothing
        scored = scores.notna().any(axis=1)  # what failed need have nothing
        shared, complete = (
            list(map(str, frame.columns[frame[scored].notna().all()])) for frame in (scores, costs)
        )
        frame = pd.concat([names, keys, scores, costs[complete]], axis=1)
        items, unpaired = _items(results)
        ways = {str(name): direction_within(str(name)) for name in scores} | self.directions
        turns = {name: up for name, up in ways.items() if up is not None}
        score, note = shared[0] if shared else None, ""
        if score is None and not turns.keys().isdisjoint(scores):
            own, note = _own_measures(results, turns)
            frame, items = (_with_own_score(each, own, turns) for each in (frame, items))
            score, turns["score"] = "score", True
        lacking = [str(each) for each in costs if each not in complete]
        notes = note_on("Not used as a cost, because some results lack it", lacking)
        return from_pandas(frame, name).noted(
            *(*self.notes, *told, *older, *notes, *unpaired),
            known=Known(source, score, turns, tuple(complete), note),
            items=None if items.empty else from_pandas(items, name),
        )


def _with_samples(results: Sequence[Result]) -> tuple[list[Result], list[str]]:
    """Put samples beside the result that they are of; where nobody gives one, it is their mean."""
    found, n_alone = list[Result](), 0
    place: dict[tuple[str, ...], int] = {}
    for each in sorted(results, key=lambda each: each.has_only_samples):
        key = each.dataset, each.algorithm
        if not each.has_only_samples:
            place |= {key: len(found), (*key, each.when): len(found)}
            found.append(each)
        elif key not in place:
            found.append(replace(each, scores=item_means(its.scores for its in each.samples)))
            n_alone += len(each.samples)
        elif (at := place.get((*key, each.when) if each.when else key)) is not None:
            found[at] = replace(found[at], samples=each.samples)
    return found, [f"{count(n_alone, 'sample')}: the score is their mean."] if n_alone else []


def _newest(results: Sequence[Result]) -> tuple[list[Result], list[str]]:
    """Keep the newest result of each algorithm on each data set; a note says so.

    One that has scores comes before one that has none. Two of the same moment are both kept, and
    refused where rows are checked.
    """
    cells = [(each.dataset, each.algorithm) for each in results]
    ages = [(bool(each.scores), each.when) for each in results]
    latest: dict[tuple[str, str], tuple[bool, str]] = {}
    for cell, age in zip(cells, ages, strict=True):
        latest[cell] = max(age, latest.get(cell, age))
    is_new = [latest[cell] == age for cell, age in zip(cells, ages, strict=True)]
    older = [f"{a} on {d}" for (d, a), new in zip(cells, is_new, strict=True) if not new]
    told = f"{count(len(older), 'result')} left out, because there is a newer one of the same "
    return list(compress(results, is_new)), note_on(f"{told}algorithm and data set", older)


def _own_measures(
    results: Sequence[Result], turns: Mapping[str, bool]
) -> tuple[dict[str, str], str]:
    """Return the first measure of each data set whose direction is known, and what to note."""
    own, where = dict[str, str](), defaultdict[str, list[str]](list)
    for each in results:
        name = next(filter(turns.__contains__, each.scores), "")
        if name and each.dataset not in own:
            own[each.dataset] = name
            where[name if turns[name] else f"minus {name}"].append(each.dataset)
    told = [f"{name} on {listed(datasets, limit=3)}" for name, datasets in where.items()]
    note = f"No measure is there on every data set; the score is the first of each: {listed(told)}."
    rest = {each.dataset: listed(each.scores) for each in results if each.dataset not in own}
    unknown = [
        f"None on {dataset}: whether a higher {names} is better is not known."
        for dataset, names in rest.items()
        if names
    ]
    return own, " ".join([note, *unknown[:3]])


def _with_own_score(
    frame: pd.DataFrame, own: Mapping[str, str], turns: Mapping[str, bool]
) -> pd.DataFrame:
    """Add the measure of each row's data set, turned up, under the name score, and its name."""
    metric, score = frame["dataset"].map(own), np.full(len(frame), np.nan)
    for name in set(own.values()).intersection(frame):
        score = np.where(metric == name, frame[name] if turns[name] else -frame[name], score)
    # Known losses are recognised by name and negated.
    named = {each: each if turns[each] or is_known_score(each) else f"neg_{each}" for each in turns}
    return frame.assign(score=score, metric=metric.map(named).fillna(""))


def _items(results: Sequence[Result]) -> tuple[pd.DataFrame, list[str]]:
    """Return the samples, one row each, and say which cannot be what they are called."""
    import pandas as pd

    cells = [(result, each) for result in results for each in result.samples]
    rows = [(result.dataset, result.algorithm, each.item, each.mark) for result, each in cells]
    keys = pd.DataFrame(rows, columns=["dataset", "algorithm", "item", "mark"], dtype=object)
    differing = keys.groupby(["dataset", "item"])["mark"].transform("nunique") > 1
    keys.loc[differing, "item"] += " " + keys.pop("mark").str[:8]
    # An item that one algorithm has again is repeated: in another epoch, or under the same name.
    again = keys.groupby(["dataset", "algorithm", "item"]).cumcount()
    keys["repeat"] = (again + 1).astype(str)
    scores = pd.DataFrame([dict(each.scores) for _, each in cells])
    told = "Items of the same name differ between algorithms, and are not paired, on"
    return pd.concat([keys, scores], axis=1), note_on(told, keys["dataset"][differing].tolist())


def item_means(items: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """Return the mean of each measure over items.

    >>> item_means([{"acc": 1.0}, {"acc": 0.0, "f1": 0.5}])
    {'acc': 0.5, 'f1': 0.5}
    """
    found: dict[str, list[float]] = {}
    for item in items:
        for name, value in item.items():
            found.setdefault(name, []).append(value)
    return {name: float(np.mean(values)) for name, values in found.items()}


# --- JSON and JSON Lines, read whole ----------------------------------------------------------


def load_json(path: Path) -> Any:
    """Return what a file of JSON holds, or a list of the objects in one of JSON Lines."""
    with opened(path, "source"):
        text = text_of(path)
        if ".jsonl" not in path.name:
            return parsed(text)
        return [parsed(line) for line in text.splitlines() if line.strip()]


def parsed(text: str | bytes) -> Any:
    """Return what a text of JSON holds, or raise that it is none."""
    try:
        found = json.loads(text)
        check_nested(found)
    except (ValueError, RecursionError) as error:
        raise MalformedError(f"is not JSON: {one_line(error)}") from error
    return found


def part(content: object, *keys: str) -> dict[str, Any]:
    """Return an object within another, empty where there is none.

    >>> part({"eval": {"config": {"epochs": 1}}}, "eval", "config")
    {'epochs': 1}
    >>> part({"eval": None}, "eval", "config")
    {}
    """
    for key in keys:
        content = content.get(key) if isinstance(content, Mapping) else None
    return dict(content) if isinstance(content, Mapping) else {}


def numbers_in(content: Mapping[str, Any], names: Iterable[str]) -> dict[str, float]:
    """Return the numbers that stand under these names.

    >>> numbers_in({"acc": "0.5", "f1": None}, ["acc", "f1", "auc"])
    {'acc': 0.5}
    """
    found = {name: number(content.get(name)) for name in names}
    return {name: value for name, value in found.items() if value is not None}


def number(value: object) -> float | None:
    """Return a number that is one, or is written as one; truth values count as 0 and 1.

    >>> number("2.5"), number(True), number("fast"), number(None)
    (2.5, 1.0, None, None)
    """
    try:
        return float(value) if isinstance(value, int | float | str) else None
    except (ValueError, OverflowError):
        return None


_TOKENS = ("total_tokens",)

# --- Massive Text Embedding Benchmark: a folder per model, one per revision, a file per task ---

_MTEB_COSTS = ("evaluation_time", "kg_co2_emissions")
_REVISION = re.compile(r"[0-9a-f]{40}|no_revision_available|external|\d+(\.\d+)*")


def read_mteb(files: list[Path], place: Path) -> ResultSet:
    """Read the main score of each model on each task: of the test split, the mean over subsets."""
    results, others, old = [], [], []
    for path in files:
        content, folders = load_json(path), path.absolute().parts
        # model/revision/task.json; in a folder of files alone, the folder is the model.
        model = folders[-3] if _REVISION.fullmatch(folders[-2]) else folders[-2]
        splits = content.get("scores")
        if not isinstance(splits, dict):
            old.append(model)
            continue
        task = str(content.get("task_name", path.stem))
        split = "test" if "test" in splits else next(iter(splits), "")
        if split != "test":
            others.append(f"{task} ({split})")
        scores = item_means(numbers_in(each, ["main_score"]) for each in splits.get(split, []))
        version = re.findall(r"\d+", str(content["mteb_version"]))
        when = ".".join(f"{int(each):05}" for each in version)
        results.append(Result(task, model, scores, numbers_in(content, _MTEB_COSTS), when=when))
    if not results:
        raise UnreadableError("source", f"no file in {place.name!r} names its main score")
    early = count(len(old), "file is", "files are")
    notes = [
        f"{count(len(files), 'file')} of MTEB: the main score of the test split, the mean over its "
        "subsets.",
        *note_on("Without a test split", others),
        *note_on(f"{early} left out, because an early version of MTEB wrote no main score", old),
    ]
    return ResultSet(results, notes, {"main_score": True})


# --- HELM: a folder per run, with what was run, its statistics and perhaps those of its items ---

_HELM_COSTS = ("inference_runtime", "num_prompt_tokens", "num_output_tokens", "training_co2_cost")


def read_helm(files: list[Path], _place: Path) -> ResultSet:
    """Read runs: the measures that a run names, of the test split, without perturbations.

    Trials of an instance are its repeats.
    """
    found, validated = [], []
    for path in files:
        spec, beside = load_json(path), path.with_name("stats.json")
        if not beside.is_file():
            raise UnreadableError("source", f"there is no stats.json beside {str(path)!r}")
        by_split = _helm_means(load_json(beside))
        split = next((each for each in ("test", "valid") if each in by_split), "")
        means = by_split[split]
        lists = [part(each, "args").get("names", []) for each in spec["metric_specs"]]
        scores = numbers_in(means, [name for names in lists for name in names])
        instances = path.with_name("per_instance_stats.json")
        rows = load_json(instances) if instances.is_file() else []
        samples = [
            Sample(str(each.get("instance_id")), its)
            for each in rows
            if not each.get("perturbation")
            and (its := numbers_in(_helm_means(each.get("stats") or [])[split], scores))
        ]
        # The name of a run is its scenario, how it was asked, and the model.
        dataset = re.sub(r"[:,]model=[^,]*", "", str(spec["name"]))
        model = str(part(spec, "adapter_spec").get("model"))
        costs = numbers_in(means, _HELM_COSTS)
        found.append(Result(dataset, model, scores, costs, samples=samples))
        validated += [dataset] if split != "test" else []
    told = f"{count(len(files), 'run')} of HELM: the means of the test split."
    return ResultSet(found, [told, *note_on("Only validated on", validated)])


def _helm_means(stats: Iterable[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the means by split and name, without those of perturbations."""
    found: dict[str, dict[str, Any]] = defaultdict(dict)
    for each in stats:
        about = part(each, "name")
        if not about.get("perturbation"):
            found[str(about.get("split"))][str(about.get("name"))] = each.get("mean")
    return found


# --- Every Eval Ever: the common schema, a file per model, and JSON Lines of its samples -------


def read_eee(files: list[Path], _place: Path) -> ResultSet:
    """Read evaluations; samples are their items, and their mean is used where no file has it."""
    directions: dict[str, bool] = {}
    found = list[Result]()
    for path in sorted(files, key=lambda path: ".jsonl" in path.name):
        if ".jsonl" in path.name:
            found += list(_eee_samples(load_json(path), found))
        else:
            found += _eee_results(load_json(path), directions)
    return ResultSet(found, [f"{count(len(files), 'file')} of Every Eval Ever."], directions)


def _eee_results(content: dict[str, Any], directions: dict[str, bool]) -> list[Result]:
    about = part(content, "model_info")
    scores: dict[str, dict[str, float]] = defaultdict(dict)
    for each in content.get("evaluation_results") or []:
        metric = part(each, "metric_config")
        measure = str(metric.get("metric_name") or metric.get("metric_id") or "score")
        dataset = each.get("evaluation_name") or part(each, "source_data").get("dataset_name")
        if (value := number(part(each, "score_details").get("score"))) is not None:
            scores[str(dataset)][measure] = value
        if isinstance(down := metric.get("lower_is_better"), bool):
            directions[measure] = not down
    model = str(about.get("id") or about.get("name"))
    when = str(content.get("evaluation_timestamp") or content.get("retrieved_timestamp") or "")
    return [Result(dataset, model, its, when=when) for dataset, its in scores.items()]


def _eee_samples(lines: Iterable[dict[str, Any]], results: Iterable[Result]) -> Iterator[Result]:
    # A sample does not say which of several measures its score is.
    measures = {(each.dataset, each.algorithm): [*each.scores] for each in results if each.scores}
    samples: dict[tuple[str, str], list[Sample]] = defaultdict(list)
    tokens: dict[tuple[str, str], list[dict[str, float]]] = defaultdict(list)
    for each in lines:
        key = str(each.get("evaluation_name")), str(each.get("model_id"))
        score = number(part(each, "evaluation").get("score"))
        names = measures.get(key, ["score"])
        if len(names) == 1 and score is not None:
            mark = str(each.get("sample_hash") or "")
            samples[key].append(Sample(str(each.get("sample_id")), {names[0]: score}, mark))
            tokens[key].append(numbers_in(part(each, "token_usage"), _TOKENS))
    for key, its in samples.items():
        costs = {name: mean * len(its) for name, mean in item_means(tokens[key]).items()}
        yield Result(*key, {}, costs, samples=its)


# --- lm-evaluation-harness: a results file per run, and a file of samples per task ------------
#
# ``results_DATE.json`` holds per task ``"acc,none": 0.61``: measure, filter, mean. The samples of
# a task, ``samples_TASK_DATE.jsonl``, are its items; where no results file has the task, the score
# is their mean.

_SAMPLES = re.compile(r"samples_(?P<task>.+?)(_(?P<when>\d{4}-\d\d-\d\dT[\d.:-]+))?\.jsonl(\.\w+)?")
_WHEN = re.compile(r"results_(?P<when>.+)\.json(\.\w+)?")
_NO_MEASURE = re.compile(r"alias|name|sample_len|.*_stderr")
# What its task files say (higher_is_better) of measures whose names do not tell; files of results
# that are older than the entry of that name do not say it. Of pct_stereotype they contradict.
_LM_UP = dict.fromkeys(("mc1", "mc2", "em", "exact"), True)
_LM_DOWN = dict.fromkeys(("likelihood_diff", "likelihood_difference"), False)


def read_lm_eval(files: list[Path], _place: Path) -> ResultSet:
    """Read runs; the mean of other tasks is no data set of its own."""
    runs = {path: load_json(path) for path in files if ".jsonl" not in path.name}
    found = [each for path, run in runs.items() for each in _lm_results(path, run)]
    for path in files:
        if (named := _SAMPLES.fullmatch(path.name)) is not None:
            beside = _run_beside(path, named["when"])
            run = {} if beside is None else runs.get(beside) or load_json(beside)
            when = named["when"] or "" if beside is None else _lm_when(beside, run)
            samples = _lm_samples(load_json(path))
            found.append(
                Result(named["task"], _lm_model(path, run), {}, when=when, samples=samples)
            )
    ways: dict[str, Any] = _LM_UP | _LM_DOWN
    for run in runs.values():
        for said in part(run, "higher_is_better").values():
            ways |= part(said)
    scores = [its for each in found for its in (each.scores, *(x.scores for x in each.samples))]
    told = {name: ways.get(name.partition(",")[0]) for its in scores for name in its}
    notes = [f"{count(len(runs), 'results file')} of lm-evaluation-harness."] if runs else []
    means = [task for run in runs.values() for task in _aggregates(run)]
    notes += note_on("Left out, as means of other tasks", means)
    return ResultSet(found, notes, {name: up for name, up in told.items() if isinstance(up, bool)})


def _aggregates(run: dict[str, Any]) -> list[str]:
    """Return the tasks that are means of others in the same run.

    Older versions list the groups, with their means, and not what is in them.

    >>> _aggregates({"results": {"a": {}, "b": {}, "all": {}}, "group_subtasks": {"all": ["a"]}})
    ['all']
    >>> _aggregates({"results": {"a": {}, "all": {}}, "groups": {"all": {}}})
    ['all']
    """
    tasks, groups, below = (part(run, key) for key in ("results", "groups", "group_subtasks"))
    single = tasks.keys() - groups.keys()

    def has_parts(task: str) -> bool:
        return any(each in tasks or has_parts(each) for each in below.get(task) or ())

    listed_only = groups.keys() - below.keys() if single else set()
    return [task for task in tasks if has_parts(task) or task in listed_only]


def _lm_results(path: Path, run: Any) -> Iterator[Result]:
    """Yield the results of a run."""
    tasks, means = part(run, "results"), _aggregates(run)
    # The time is the run's: of a run of one task it is the task's.
    seconds = number(run.get("total_evaluation_time_seconds"))
    costs = {} if seconds is None or len(tasks) > 1 else {"evaluation_time": seconds}
    for task in (task for task in tasks if task not in means):
        scores = _lm_scores(tasks[task])
        yield Result(task, _lm_model(path, run), scores, costs, when=_lm_when(path, run))


def _lm_scores(content: Mapping[str, Any]) -> dict[str, float]:
    """Return the measures, each with its filter unless that is none.

    >>> _lm_scores({"acc,none": 1, "em,strict": "0.5", "acc_stderr,none": 0.1})
    {'acc': 1.0, 'em,strict': 0.5}
    """
    found = numbers_in(content, content)
    names = [name for name in found if not _NO_MEASURE.fullmatch(name.partition(",")[0])]
    return {name.removesuffix(",none"): found[name] for name in names}


def _lm_model(path: Path, run: Any) -> str:
    named = re.search(r"(?:pretrained|model)=([^,]+)", str(part(run, "config").get("model_args")))
    return str(run.get("model_name") or (named and named[1]) or path.absolute().parent.name)


def _lm_when(path: Path, run: Mapping[str, Any]) -> str:
    found = _WHEN.fullmatch(path.name)
    return str(run.get("date") or (found["when"] if found else ""))


def _run_beside(path: Path, when: str | None) -> Path | None:
    """Return the results file of the run that samples are of, or one beside them."""
    beside = sorted(path.parent.glob("results_*.json*"))
    same = [each for each in beside if when and _lm_when(each, {}) == when] or beside
    return same[-1] if same else None


def _lm_samples(lines: list[dict[str, Any]]) -> list[Sample]:
    found = []
    for place, each in enumerate(lines):
        numeric = [k for k, v in each.items() if isinstance(v, int | float) and k != "doc_id"]
        kind = each.get("filter", "none")
        named = {f"{name},{kind}": each.get(name) for name in each.get("metrics") or numeric}
        scores = _lm_scores(named)
        found.append(Sample(str(each.get("doc_id", place)), scores, str(each.get("doc_hash", ""))))
    return found


# --- Inspect: a log per task and model, as JSON or, .eval, as JSON in a zip archive -----------

_LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}  # correct, partial, incorrect, no answer
_SPREAD = ("stderr", "std", "var", "bootstrap_stderr", "bootstrap_std")


def read_inspect(files: list[Path], _place: Path) -> ResultSet:
    """Read logs; the epochs of a task are repeats, where the samples are there."""
    logs = [_unzipped(path) if path.suffix == ".eval" else load_json(path) for path in files]
    found = [each for log in logs for each in _of_log(log)]
    ended = []
    asked: dict[str, set[str]] = defaultdict(set)
    for log in logs:
        about, status = part(log, "eval"), log.get("status")
        task = str(about.get("task"))
        ended += [f"{task} ({status})"] if status != "success" else []
        asked[task].add(json.dumps(part(about, "dataset").get("sample_ids")))
    uneven = [task for task, different in asked.items() if len(different) > 1]
    notes = [
        f"{count(len(files), 'log')} of Inspect.",
        *note_on("Not all models answered the same samples of", uneven),
        *note_on("Logs that did not end in success", ended),
    ]
    if any(each.keys["repeat"] != "1" for each in found):
        notes.append("The epochs are repeats: each score is the mean over the samples of one.")
    return ResultSet(found, notes)


def _unzipped(path: Path) -> dict[str, Any]:
    with opened(path, "source"):
        try:
            with zipfile.ZipFile(path) as archive:
                check_archive(archive)
                names = archive.namelist()
                header = next((n for n in ("header.json", "_journal/start.json") if n in names), "")
                log: dict[str, Any] = parsed(archive.read(header))
                if (short := "summaries.json") in names:  # the samples without what was said
                    return log | {"samples": parsed(archive.read(short))}
                whole = [name for name in names if name.startswith("samples/")]
                return log | {"samples": [parsed(archive.read(name)) for name in whole]}
        except (zipfile.BadZipFile, KeyError) as error:
            raise MalformedError("is not a log of Inspect") from error


def _of_log(log: dict[str, Any]) -> Iterator[Result]:
    about, stats = part(log, "eval"), part(log, "stats")
    model, when = str(about.get("model")), str(about.get("created", ""))
    costs = numbers_in(part(stats, "model_usage", model), _TOKENS)
    begun, ended = stats.get("started_at"), stats.get("completed_at")
    if begun and ended:
        took = datetime.fromisoformat(str(ended)) - datetime.fromisoformat(str(begun))
        costs["duration"] = took.total_seconds()
    scores, by_epoch = _inspect_scores(log)
    task, several = str(about.get("task")), len(by_epoch) > 1
    for epoch, its in by_epoch.items() or [("1", [])]:
        means = item_means(each.scores for each in its) if several else scores
        status = "ok" if means or several else str(log.get("status") or "missing")
        keys = {"repeat": epoch if several else "1", "status": status}
        yield Result(task, model, means, costs, keys, when, its)


def _inspect_scores(log: dict[str, Any]) -> tuple[dict[str, float], dict[str, list[Sample]]]:
    """Return the metrics of the scorers, and the samples of each epoch.

    A scorer is named where there are several; scores of samples have the name of its first metric.
    """
    scorers = part(log, "results").get("scores") or []
    metrics = {each.get("name"): part(each, "metrics") for each in scorers}

    def named(scorer: str, metric: str) -> str:
        return f"{scorer} {metric}" if len(metrics) > 1 else metric

    means = {
        named(scorer, name): value
        for scorer, its in metrics.items()
        for name, metric in its.items()
        if (value := number(metric.get("value"))) is not None and name not in _SPREAD
    }
    epochs: dict[str, list[Sample]] = defaultdict(list)
    for sample in log.get("samples") or []:
        scores = {
            f"{named(scorer, next(iter(metrics.get(scorer, ())), 'mean'))} {key}".strip(): value
            for scorer, score in part(sample, "scores").items()
            for key, value in _values(score.get("value"))
        }
        epochs[str(sample.get("epoch", 1))].append(Sample(str(sample.get("id")), scores))
    return means, epochs


def _values(value: object) -> Iterable[tuple[str, float]]:
    """Yield the numbers of a sample's score: a letter, a number, or several by name.

    >>> list(_values("C")), list(_values({"style": 3, "tone": "I"}))
    ([('', 1.0)], [('style', 3.0), ('tone', 0.0)])
    """
    for key, each in value.items() if isinstance(value, Mapping) else [("", value)]:
        found = number(_LETTERS.get(each, each) if isinstance(each, str) else each)
        if found is not None:
            yield key, found
