"""Evaluations of models, as JSON: MTEB, HELM, Every Eval Ever, lm-evaluation-harness, Inspect."""

from __future__ import annotations

import json
import re
import zipfile
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from palio.errors import UnreadableError
from palio.measures import is_known_score, measure_named
from palio.scores.columns import Columns
from palio.scores.formats import opened
from palio.scores.formats.packing import check_archive
from palio.scores.importers.results import (
    CELL,
    Result,
    Sample,
    columns_of,
    item_means,
    load_json,
    load_lines,
    note_on,
    number,
    numbers_in,
    parsed,
    part,
)
from palio.scores.limits import MalformedError
from palio.words import count, listed

# --- Massive Text Embedding Benchmark: a folder per model, one per revision, a file per task ---

_TEST = "test"
_MTEB_COSTS = ("evaluation_time", "kg_co2_emissions")


def read_mteb(files: list[Path], place: Path) -> Columns:
    """Read the main score of each model on each task: of the test split, the mean over subsets."""
    results, others, old = [], [], []
    for path in files:
        content = load_json(path)
        splits = content.get("scores")
        if not isinstance(splits, dict):
            old.append(_folder_model(path))
            continue
        split = _TEST if _TEST in splits else next(iter(splits), "")
        if split != _TEST:
            others.append(f"{content.get('task_name', path.stem)} ({split})")
        results.append(_of_task(path, content, splits.get(split, [])))
    if not results:
        raise UnreadableError("source", f"no file in {place.name!r} names its main score")
    early = count(len(old), "file is", "files are")
    notes = [
        f"{count(len(files), 'file')} of MTEB: the main score of the test split, the mean over its "
        "subsets.",
        *note_on("Without a test split", others),
        *note_on(f"{early} left out, because an early version of MTEB wrote no main score", old),
    ]
    up = {"main_score": True}
    return columns_of(
        results, name=place.name, source="mteb", directions=up, notes=notes, newest_by=CELL
    )


def _of_task(path: Path, content: dict[str, Any], subsets: Iterable[dict[str, Any]]) -> Result:
    version = re.findall(r"\d+", str(content["mteb_version"]))
    scores = [found for each in subsets if (found := number(each.get("main_score"))) is not None]
    return Result(
        str(content.get("task_name", path.stem)),
        _folder_model(path),
        {"main_score": sum(scores) / len(scores)} if scores else {},
        numbers_in(content, _MTEB_COSTS),
        when=".".join(f"{int(each):05}" for each in version),
    )


def _folder_model(path: Path) -> str:
    # model/revision/task.json; in a folder of files alone, the folder is the model.
    parts = path.absolute().parts
    revision = re.fullmatch(r"[0-9a-f]{40}|no_revision_available|external|\d+(\.\d+)*", parts[-2])
    return parts[-3] if revision else parts[-2]


# --- HELM: a folder per run, with what was run, its statistics and perhaps those of its items ---

_UP = re.compile(r"exact_match|^bleu_|^rouge_|^f1_")
_SPLITS = ("test", "valid")
_HELM_COSTS = ("inference_runtime", "num_prompt_tokens", "num_output_tokens", "training_co2_cost")


def read_helm(files: list[Path], place: Path) -> Columns:
    """Read runs: the measures that a run names, of the test split, without perturbations."""
    found, validated = [], []
    for path in files:
        spec, beside = load_json(path), path.parent / "stats.json"
        if not beside.is_file():
            raise UnreadableError("source", f"there is no stats.json beside {str(path)!r}")
        result, split = _of_run(spec, load_json(beside))
        instances = path.parent / "per_instance_stats.json"
        if instances.is_file():
            its = _instances(load_json(instances), split, result.scores)
            result = replace(result, samples=its)
        found.append(result)
        if split != _SPLITS[0]:
            validated.append(result.dataset)
    notes = [
        f"{count(len(files), 'run')} of HELM: the means of the test split.",
        *note_on("Only validated on", validated),
    ]
    up = {name: True for each in found for name in each.scores if _UP.search(name)}
    return columns_of(
        found, name=place.name, source="helm", directions=up, notes=notes, newest_by=CELL
    )


def _of_run(spec: dict[str, Any], stats: list[dict[str, Any]]) -> tuple[Result, str]:
    plain = [each for each in stats if not part(each, "name").get("perturbation")]
    splits = {part(each, "name").get("split") for each in plain}
    split = next((each for each in _SPLITS if each in splits), "")
    means = _means_of(plain, split)
    named = [
        name for metric in spec["metric_specs"] for name in part(metric, "args").get("names", [])
    ]
    # The name of a run is its scenario, how it was asked, and the model.
    dataset = re.sub(r"[:,]model=[^,]*", "", str(spec["name"]))
    model = str(part(spec, "adapter_spec").get("model"))
    return Result(dataset, model, numbers_in(means, named), numbers_in(means, _HELM_COSTS)), split


def _means_of(stats: Iterable[dict[str, Any]], split: str) -> dict[str, Any]:
    """Return the means of a split, by the names of the statistics."""
    named = ((part(each, "name"), each.get("mean")) for each in stats)
    return {str(name.get("name")): mean for name, mean in named if name.get("split") == split}


def _instances(instances: list[dict[str, Any]], split: str, named: Collection[str]) -> list[Sample]:
    """Return the instances of a split as they are, without perturbations; trials are repeats."""
    return [
        Sample(str(each.get("instance_id")), scores)
        for each in instances
        if not each.get("perturbation")
        and (scores := numbers_in(_means_of(each.get("stats") or [], split), named))
    ]


# --- Every Eval Ever: the common schema, a file per model, and JSON Lines of its samples -------


def read_eee(files: list[Path], place: Path) -> Columns:
    """Read evaluations; samples are their items, and their mean is used where no file has it."""
    directions: dict[str, bool] = {}
    found: list[Result] = []
    for path in files:
        if ".jsonl" not in path.name:
            found += _results(load_json(path), directions)
    notes = [f"{count(len(files), 'file')} of Every Eval Ever."]
    there = {(each.dataset, each.algorithm): at for at, each in enumerate(found)}
    more: list[Result] = []
    for path in files:
        for result in _of_samples(load_lines(path)) if ".jsonl" in path.name else ():
            at = there.get((result.dataset, result.algorithm))
            if at is None:
                more.append(result)
            elif len(found[at].scores) == 1:  # of several, samples do not say which theirs is
                found[at] = _with_samples(found[at], result.samples)
    if more:
        items = sum(len(each.samples) for each in more)
        notes.append(f"{count(items, 'sample')}: the score is their mean.")
    found += more
    return columns_of(
        found, name=place.name, source="eee", directions=directions, notes=notes, newest_by=CELL
    )


def _results(content: dict[str, Any], directions: dict[str, bool]) -> list[Result]:
    about = part(content, "model_info")
    model = str(about.get("id") or about.get("name"))
    scores: dict[str, dict[str, float]] = defaultdict(dict)
    for each in content.get("evaluation_results") or []:
        metric = part(each, "metric_config")
        value = number(part(each, "score_details").get("score"))
        measure = metric.get("metric_name") or metric.get("metric_id") or "score"
        dataset = each.get("evaluation_name") or part(each, "source_data").get("dataset_name")
        if value is None:
            continue
        scores[str(dataset)][str(measure)] = value
        if isinstance(down := metric.get("lower_is_better"), bool):
            directions[str(measure)] = not down
    when = str(content.get("evaluation_timestamp") or content.get("retrieved_timestamp") or "")
    return [Result(dataset, model, values, when=when) for dataset, values in scores.items()]


def _with_samples(result: Result, samples: Sequence[Sample]) -> Result:
    """Put samples beside a result, their score under the name of its one measure."""
    measure = next(iter(result.scores))
    own = [replace(each, scores={measure: each.scores["score"]}) for each in samples]
    return replace(result, samples=own)


def _of_samples(samples: list[dict[str, Any]]) -> list[Result]:
    by_cell: dict[tuple[str, str], list[Sample]] = defaultdict(list)
    used: dict[tuple[str, str], list[dict[str, float]]] = defaultdict(list)
    for each in samples:
        value = number(part(each, "evaluation").get("score"))
        tokens = number(part(each, "token_usage").get("total_tokens"))
        cell = (str(each.get("evaluation_name")), str(each.get("model_id")))
        if value is None:
            continue
        name, mark = str(each.get("sample_id")), str(each.get("sample_hash") or "")
        by_cell[cell].append(Sample(name, {"score": value}, mark))
        used[cell].append({} if tokens is None else {"tokens": tokens})
    found = []
    for (dataset, model), items in by_cell.items():
        means, usage = item_means(each.scores for each in items), item_means(used[dataset, model])
        costs = {"total_tokens": usage["tokens"] * len(items)} if usage else {}
        found.append(Result(dataset, model, means, costs, samples=items))
    return found


# --- lm-evaluation-harness: a results file per run, and a file of samples per task ------------
#
# ``results_DATE.json`` holds per task ``"acc,none": 0.61``: measure, filter, mean. The samples of
# a task, ``samples_TASK_DATE.jsonl``, are its items; where no results file has the task, the score
# is their mean.

_SAMPLES = re.compile(r"samples_(?P<task>.+?)(_(?P<when>\d{4}-\d\d-\d\dT[\d.:-]+))?\.jsonl(\.\w+)?")
_WHEN = re.compile(r"results_(?P<when>.+)\.json(\.\w+)?")
_ITS_OWN = ("alias", "name", "sample_len")
# What its task files say (higher_is_better) of measures whose names do not tell; files of results
# that are older than the entry of that name do not say it. Of pct_stereotype they contradict.
_LM_UP = re.compile(r"mc[12]|em|exact|(bleu|bleurt|rouge[12L])_(max|acc|diff)")
_LM_DOWN = re.compile(r"likelihood_diff(erence)?")


def read_lm_eval(files: list[Path], place: Path) -> Columns:
    """Read runs; a task's mean of its subtasks is no data set of its own."""
    runs = {path: load_json(path) for path in files if ".jsonl" not in path.name}
    directions: dict[str, bool] = {}
    groups: list[str] = []
    found: dict[Path, list[Result]] = {}
    for path, run in runs.items():
        groups += [task for task, below in part(run, "group_subtasks").items() if below]
        found[path] = list(_of_lm_eval(path, run, directions))
    notes = [f"{count(len(runs), 'results file')} of lm-evaluation-harness."] if runs else []
    results, items = _with_lm_samples(found, files, runs)
    notes += [*note_on("Left out, as means of other tasks", groups), *items]
    return columns_of(
        results,
        name=place.name,
        source="lm-eval",
        directions=directions,
        notes=notes,
        newest_by=CELL,
    )


def _of_lm_eval(path: Path, run: Any, directions: dict[str, bool]) -> Iterator[Result]:
    when = str(run.get("date", "")) or _when(path)
    seconds = number(run.get("total_evaluation_time_seconds"))
    tasks = {
        task: scores
        for task, scores in part(run, "results").items()
        if not part(run, "group_subtasks").get(task)
    }
    for task, scores in tasks.items():
        up = part(run, "higher_is_better", task)
        values: dict[str, float] = {}
        for key, value in scores.items():
            name = _measure(key)
            if name is None or (score := number(value)) is None:
                continue
            values[name] = score
            own = key.partition(",")[0]
            if isinstance(direction := up.get(own, _direction(own)), bool):
                directions[name] = direction
        # The time is the run's: of a run of one task it is the task's.
        costs = {} if seconds is None or len(tasks) > 1 else {"evaluation_time": seconds}
        yield Result(task, _lm_model(path, run), values, costs, when=when)


def _direction(measure: str) -> bool | None:
    """Return whether higher is better, by its name or else by the task files.

    >>> _direction("mc2"), _direction("likelihood_difference"), _direction("pct_stereotype")
    (True, False, None)
    """
    if is_known_score(measure):
        return measure_named(measure).higher_is_better
    if _LM_UP.fullmatch(measure):
        return True
    return False if _LM_DOWN.fullmatch(measure) else None


def _measure(key: str) -> str | None:
    """Return the name of a measure: without its filter where that is none.

    >>> _measure("acc,none"), _measure("exact_match,strict-match"), _measure("acc_stderr,none")
    ('acc', 'exact_match,strict-match', None)
    """
    name, _, kind = key.partition(",")
    if name in _ITS_OWN or name.endswith("_stderr"):
        return None
    return name if kind in ("", "none") else key


def _lm_model(path: Path, run: Any) -> str:
    arguments = part(run, "config").get("model_args")
    named = re.search(
        r"(?:pretrained|model)=([^,]+)", arguments if isinstance(arguments, str) else ""
    )
    return str(run.get("model_name") or (named and named[1]) or path.absolute().parent.name)


def _when(path: Path) -> str:
    found = _WHEN.fullmatch(path.name)
    return found["when"] if found else ""


def _with_lm_samples(
    found: dict[Path, list[Result]], files: list[Path], runs: dict[Path, Any]
) -> tuple[list[Result], list[str]]:
    """Put samples beside the results of their run; add the means of those that no file has."""
    there = {(each.algorithm, each.dataset) for results in found.values() for each in results}
    added: list[Result] = []
    for path in files:
        named = _SAMPLES.fullmatch(path.name)
        if named is None:
            continue
        task, run = named["task"], _run_beside(path, named["when"])
        own = found.get(run, []) if run is not None else []
        place = next((at for at, each in enumerate(own) if each.dataset == task), None)
        if place is not None:
            own[place] = replace(
                own[place], samples=_lm_samples(load_lines(path), named=own[place].scores)
            )
            continue
        model = _model_beside(path, run, runs)
        if (model, task) not in there:
            samples = _lm_samples(load_lines(path))
            scores = item_means(each.scores for each in samples)
            added.append(Result(task, model, scores, when=named["when"] or "", samples=samples))
    items = sum(len(each.samples) for each in added)
    told = f"{count(items, 'sample')} of {count(len(added), 'file')}: the score is their mean."
    results = [each for results in found.values() for each in results]
    return [*results, *added], [told] if added else []


def _lm_samples(lines: list[dict[str, Any]], named: Collection[str] = ()) -> list[Sample]:
    """Return what each sample reached; its measures are ``named`` with their filter where it is."""
    kinds = [str(each.get("filter", "none")) for each in lines]
    several = len(set(kinds)) > 1
    found = []
    for place, (each, kind) in enumerate(zip(lines, kinds, strict=True)):
        numeric = [k for k, v in each.items() if isinstance(v, int | float) and k != "doc_id"]
        values = numbers_in(each, each.get("metrics") or numeric)
        scores = {_as_named(n, kind, named, several=several): v for n, v in values.items()}
        found.append(Sample(str(each.get("doc_id", place)), scores, str(each.get("doc_hash", ""))))
    return found


def _as_named(name: str, kind: str, named: Collection[str], *, several: bool) -> str:
    whole = _measure(f"{name},{kind}")
    if whole is not None and whole in named:
        return whole
    return f"{name},{kind}" if several else name


def _run_beside(path: Path, when: str | None) -> Path | None:
    """Return the results file of the run that samples are of, or one beside them."""
    beside = sorted(path.parent.glob("results_*.json*"))
    same = [each for each in beside if when and _when(each) == when] or beside
    return same[-1] if same else None


def _model_beside(path: Path, run: Path | None, runs: dict[Path, Any]) -> str:
    if run is None:
        return path.absolute().parent.name
    return _lm_model(run, runs[run] if run in runs else load_json(run))


# --- Inspect: a log per task and model, as JSON or, .eval, as JSON in a zip archive -----------

_LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}  # correct, partial, incorrect, no answer
_SPREAD = ("stderr", "std", "var", "bootstrap_stderr", "bootstrap_std")


def read_inspect(files: list[Path], place: Path) -> Columns:
    """Read logs; the epochs of a task are repeats, where the samples are there."""
    logs = [_unzipped(path) if path.suffix == ".eval" else load_json(path) for path in files]
    found = [each for log in logs for each in _of_log(log)]
    odd = [log for log in logs if log.get("status") != "success"]
    ended = [f"{part(log, 'eval').get('task')} ({log.get('status')})" for log in odd]
    notes = [
        f"{count(len(files), 'log')} of Inspect.",
        *_note_on_samples(logs),
        *note_on("Logs that did not end in success", ended),
    ]
    if any(each.repeat != "1" for each in found):
        notes.append("The epochs are repeats: each score is the mean over the samples of one.")
    return columns_of(found, name=place.name, source="inspect", notes=notes, newest_by=CELL)


def _unzipped(path: Path) -> dict[str, Any]:
    with opened(path, "source"):
        try:
            with zipfile.ZipFile(path) as archive:
                check_archive(archive)
                names = archive.namelist()
                header = next((n for n in ("header.json", "_journal/start.json") if n in names), "")
                log: dict[str, Any] = parsed(archive.read(header))
                whole = [name for name in names if name.startswith("samples/")]
                short = "summaries.json"  # the samples without what was said
                if short in names:
                    log["samples"] = parsed(archive.read(short))
                else:
                    log["samples"] = [parsed(archive.read(name)) for name in whole]
        except (zipfile.BadZipFile, KeyError) as error:
            raise MalformedError("is not a log of Inspect") from error
    return log


def _of_log(log: dict[str, Any]) -> list[Result]:
    about = part(log, "eval")
    task, model = str(about.get("task")), str(about.get("model"))
    when, costs, by_epoch = str(about.get("created", "")), _costs_of_log(log, model), _by_epoch(log)
    if len(by_epoch) > 1:
        means = {n: item_means(each.scores for each in its) for n, its in by_epoch.items()}
        return [
            Result(task, model, means[epoch], costs, repeat=epoch, when=when, samples=its)
            for epoch, its in by_epoch.items()
        ]
    scores, samples = _means(log), next(iter(by_epoch.values()), [])
    ended = "ok" if scores else str(log.get("status") or "missing")
    return [Result(task, model, scores, costs, status=ended, when=when, samples=samples)]


def _means(log: dict[str, Any]) -> dict[str, float]:
    """Return the metrics of the scorers; a scorer is named where there are several."""
    scorers = part(log, "results").get("scores") or []
    found = {}
    for scorer in scorers:
        for name, metric in part(scorer, "metrics").items():
            value = number(metric.get("value"))
            if value is not None and name not in _SPREAD:
                found[_of_scorer(scorer.get("name"), name, several=len(scorers) > 1)] = value
    return found


def _of_scorer(scorer: object, metric: str, *, several: bool) -> str:
    return f"{scorer} {metric}" if several else metric


def _by_epoch(log: dict[str, Any]) -> dict[str, list[Sample]]:
    """Return the samples of each epoch, their scores under the name of the scorer's metric."""
    metrics = {
        scorer.get("name"): next(iter(part(scorer, "metrics")), "mean")
        for scorer in part(log, "results").get("scores") or []
    }
    epochs: dict[str, list[Sample]] = {}
    for sample in log.get("samples") or []:
        scores: dict[str, float] = {}
        for scorer, score in part(sample, "scores").items():
            for key, value in _values(score.get("value")):
                metric = _of_scorer(scorer, metrics.get(scorer, "mean"), several=len(metrics) > 1)
                scores[f"{metric} {key}".strip()] = value
        found = Sample(str(sample.get("id")), scores)
        epochs.setdefault(str(sample.get("epoch", 1)), []).append(found)
    return epochs


def _values(value: object) -> Iterable[tuple[str, float]]:
    """Yield the numbers of a sample's score: a letter, a number, or several by name.

    >>> list(_values("C")), list(_values({"style": 3, "tone": "I"}))
    ([('', 1.0)], [('style', 3.0), ('tone', 0.0)])
    """
    named = value if isinstance(value, Mapping) else {"": value}
    for key, each in named.items():
        found = _LETTERS.get(each) if isinstance(each, str) else None
        found = number(each) if found is None else found
        if found is not None:
            yield key, found


def _costs_of_log(log: dict[str, Any], model: str) -> dict[str, float]:
    costs = numbers_in(part(log, "stats", "model_usage", model), ["total_tokens"])
    begun, ended = (part(log, "stats").get(name) for name in ("started_at", "completed_at"))
    if begun and ended:
        took = datetime.fromisoformat(str(ended)) - datetime.fromisoformat(str(begun))
        costs["duration"] = took.total_seconds()
    return costs


def _note_on_samples(logs: list[dict[str, Any]]) -> list[str]:
    """Say on which tasks the models did not answer the same samples."""
    asked: dict[str, set[str]] = {}
    for log in logs:
        ids = part(log, "eval", "dataset").get("sample_ids")
        asked.setdefault(str(part(log, "eval").get("task")), set()).add(json.dumps(ids))
    uneven = [task for task, different in asked.items() if len(different) > 1]
    return [f"Not all models answered the same samples of {listed(uneven)}."] if uneven else []
