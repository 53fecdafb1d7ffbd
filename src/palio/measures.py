"""What a column of numbers measures: its name, which way is better, its scale, and if it is a cost.

Direction and scale are read from the name or given by the caller. Values never decide a direction;
they only rule a scale out (`palio.scores.scale`).
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias, TypeVar, get_args

from palio.errors import Option, ParameterError

if TYPE_CHECKING:
    from palio.types import FloatArray

    Numbers = TypeVar("Numbers", float, FloatArray)

Kind: TypeAlias = Literal["score", "cost"]

MeasureScale: TypeAlias = Literal["difference", "ratio", "order"]
"""What means the same on every data set: a difference (accuracy, AUC, BLEU), a ratio (what is
positive and has a unit of its own on each data set: RMSE, loss, seconds), or only who is better
(order), as where another thing is measured on other data sets."""

SCALES: tuple[MeasureScale, ...] = get_args(MeasureScale)


@dataclass(frozen=True, slots=True)
class Measure:
    """A score or a cost.

    Parameters
    ----------
    name : str
        The name as the caller wrote it.
    higher_is_better : bool
        The direction. A cost is always lower-is-better.
    kind : {"score", "cost"}
        Whether it says how good an algorithm is or what it takes.
    unit : str, optional
        The unit, where it is known.
    lower, upper : float, optional
        The range, where it is known. Accuracy comes in fractions and percent: see `possible`.
    scale : {"difference", "ratio", "order"}, optional
        What means the same on every data set: a difference, a ratio, or only who is better. Read
        from well-known names unless given; of other names it is a difference.
    is_mixed : bool
        Whether another thing is measured on other data sets; its scale is "order".

    Examples
    --------
    >>> Measure("accuracy", higher_is_better=True).scale
    'difference'
    >>> Measure("seconds", higher_is_better=False, kind="cost").scale
    'ratio'
    >>> str(Measure("accuracy", higher_is_better=True))
    'accuracy (higher is better)'
    """

    # What a reader of numbers must know.
    parts: ClassVar[tuple[str, ...]] = ("name", "higher_is_better")

    name: str
    higher_is_better: bool
    kind: Kind = "score"
    unit: str = ""
    lower: float | None = None
    upper: float | None = None
    scale: MeasureScale = None  # type: ignore[assignment]  # read from the name below
    is_mixed: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise ParameterError(
                "name", "a measure needs a name that is text", remedy=f"got {self.name!r}"
            )
        if self.kind not in ("score", "cost"):
            raise ParameterError(
                "kind",
                "a measure is a 'score' or a 'cost'",
                remedy=f"got {self.kind!r} for {self.name!r}",
            )
        if not isinstance(self.higher_is_better, bool):
            raise ParameterError(
                "higher_is_better",
                "must be True or False",
                remedy=f"got {self.higher_is_better!r} for {self.name!r}",
            )
        if self.kind == "cost" and self.higher_is_better:
            raise ParameterError(
                "higher_is_better",
                f"{self.name!r} is a cost",
                "a cost is always better when lower",
                "got True. Leave higher_is_better out, or make it a score",
            )
        if self.scale not in (None, *SCALES):
            raise unknown_scale(self.scale)
        if self.scale is None:
            ratio = self.kind == "cost" or (
                self._has_usual_direction and _well_known(self.name)[0] in _POSITIVE
            )
            found = "order" if self.is_mixed else "ratio" if ratio else "difference"
            object.__setattr__(self, "scale", found)

    @property
    def _has_usual_direction(self) -> bool:
        """Whether it goes as its well-known name does; turned, a name means something else."""
        return _known_direction(self.name) == self.higher_is_better

    @property
    def is_ordinal(self) -> bool:
        """Whether only who is better counts: scores have ranks, and neither means nor sizes."""
        return self.scale == "order"

    @property
    def is_bounded(self) -> bool:
        """Whether it is a share, a correlation or the like, between known ends.

        >>> measure_named("accuracy").is_bounded, measure_named("r2").is_bounded
        (True, False)
        """
        form, _ = _well_known(self.name)
        return self._has_usual_direction and form not in (None, *_OPEN, *_POSITIVE)

    @property
    def is_explained_share(self) -> bool:
        """Whether it is 1 less a ratio of losses, as R² is: 1 − score may be compared by ratios."""
        return self._has_usual_direction and _well_known(self.name)[0] in _EXPLAINED

    def sizes(self, values: Numbers) -> Numbers:
        """Return what ratios are of: the values, or how far they are from the best there is.

        >>> import numpy as np
        >>> measure_named("neg_rmse").sizes(np.array([-2.0])).tolist()
        [2.0]
        """
        top = self._top
        return values if top is None else top - values

    @property
    def _top(self) -> float | None:
        return self.upper if self.higher_is_better else None

    @property
    def smaller_sizes_are_better(self) -> bool:
        """The direction of `sizes`."""
        return self._top is not None or not self.higher_is_better

    def turned(self, values: Numbers) -> Numbers:
        """Return values turned so that higher is better.

        >>> import numpy as np
        >>> measure_named("error").turned(np.array([0.1, 0.2])).tolist()
        [-0.1, -0.2]
        """
        return values if self.higher_is_better else -values

    @property
    def on_one_dataset(self) -> Measure:
        """The same measure within a data set, where differences have one unit."""
        return replace(self, scale="difference") if self.scale == "ratio" else self

    @property
    def goodness_sign(self) -> int:
        """What turns differences of goodness to those of the scores, or of the logs of sizes."""
        up = not self.smaller_sizes_are_better if self.scale == "ratio" else self.higher_is_better
        return 1 if up else -1

    @property
    def possible(self) -> tuple[float, float]:
        """The least and the greatest value there can be, in fractions or in percent.

        >>> measure_named("accuracy").possible, measure_named("r2").possible
        ((0.0, 100.0), (-inf, 100.0))
        >>> measure_named("rmse").possible, measure_named("error").possible
        ((0.0, inf), (-inf, inf))
        """
        low = -math.inf if self.lower is None else self.lower
        high = math.inf if self.upper is None else self.upper
        form, negated = _well_known(self.name)
        if form in _LOOSE:
            return -math.inf, math.inf
        if self.is_bounded:
            low, high = (-100 if negated else low), (high if negated else 100)
        return (-100.0 if low == -1 else float(low)), (100.0 if high == 1 else float(high))

    def to_dict(self) -> dict[str, str | bool]:
        """Return what a reader of numbers must know: the name and the direction."""
        return {"name": self.name, "higher_is_better": self.higher_is_better}

    def __str__(self) -> str:
        return f"{self.name} ({self.direction})"

    @property
    def direction(self) -> str:
        """The direction in words.

        >>> measure_named("rmse").direction
        'lower is better'
        """
        if self.is_mixed:
            return "differs by data set"
        return "higher is better" if self.higher_is_better else "lower is better"


def unknown_scale(scale: object) -> ParameterError:
    """Return the error for what is no scale."""
    return ParameterError("scale", f"it is {', '.join(SCALES)}", f"{scale!r} was given")


def measure_named(name: str, *, higher_is_better: bool | None = None) -> Measure:
    """Return the measure called ``name``.

    The direction is read from well-known names, whatever their case and separators, also with
    ``test_``, ``val_``, ``cv_``, ``mean_`` … in front or ``_mean``, ``_score``, ``_macro`` …
    behind. Scikit-learn's ``neg_*`` names are higher-is-better.

    Parameters
    ----------
    name : str
        The name of a score or a cost.
    higher_is_better : bool, optional
        The direction. If given, it wins over the name.

    Returns
    -------
    Measure

    Raises
    ------
    ParameterError
        If the name is not well known and no direction is given.

    Examples
    --------
    >>> measure_named("Test Accuracy").higher_is_better
    True
    >>> measure_named("log-loss").higher_is_better
    False
    >>> measure_named("neg_log_loss").higher_is_better
    True
    >>> measure_named("quality", higher_is_better=True).scale
    'difference'
    >>> measure_named("quality")
    Traceback (most recent call last):
    ...
    palio.errors.ParameterError: higher_is_better: 'quality' is not a well-known measure, so its
    direction cannot be read from its name; give higher_is_better=True or higher_is_better=False.
    """
    if not isinstance(name, str) or not name.strip():
        raise ParameterError("score", "the name of a measure must be text", remedy=f"got {name!r}")
    name = name.strip()
    if higher_is_better is not None and not isinstance(higher_is_better, bool):
        raise ParameterError(
            "higher_is_better",
            "must be True or False, or left out",
            remedy=f"got {higher_is_better!r}",
        )
    if is_known_cost(name) and higher_is_better is not True:
        return cost_named(name)
    known = _known_direction(name)
    if higher_is_better is None:
        higher_is_better = known
    if higher_is_better is None:
        raise ParameterError(
            "higher_is_better",
            f"{name!r} is not a well-known measure, so its direction cannot be read from its name",
            remedy=f"give {Option('higher_is_better', 'True')} or "
            f"{Option('higher_is_better', 'False')}",
        )
    lower, upper = _range_of(name) if higher_is_better == known else (None, None)
    return Measure(name, higher_is_better=higher_is_better, lower=lower, upper=upper)


def cost_named(name: str) -> Measure:
    """Return the cost called ``name``: any name will do, and lower is better.

    The unit is what the name ends with or has in brackets, or that of a name by which
    scikit-learn and Palio's own runs mean it.

    >>> cost_named("watts").direction, cost_named("watts").scale, cost_named("watts").unit
    ('lower is better', 'ratio', '')
    >>> [cost_named(name).unit for name in ("fit_time", "latency [ms]", "model_bytes", "tokens/s")]
    ['seconds', 'milliseconds', 'bytes', '']
    """
    return Measure(name, higher_is_better=False, kind="cost", unit=_unit_of(name), lower=0.0)


def _unit_of(name: str) -> str:
    *before, last = re.findall(r"[a-z]+|/", name.lower()) or [""]
    if last in _UNITS and before[-1:] not in (["per"], ["/"]):  # tokens per second are none
        return _UNITS[last]
    known = any(form in _IN_SECONDS for form in _forms(name, _COST_PREFIXES, ()))
    return "seconds" if known else ""


def is_time(name: str) -> bool:
    """Return whether a cost is a time, whatever its unit.

    >>> is_time("train_time"), is_time("latency [ms]"), is_time("model_bytes")
    (True, True, False)
    """
    timed = _unit_of(name) in ("seconds", "milliseconds", "minutes", "hours")
    return timed or re.search(r"time|latency|duration|elapsed|clock", name.lower()) is not None


def is_known_cost(name: str) -> bool:
    """Return whether ``name`` is a well-known cost.

    >>> is_known_cost("train_time"), is_known_cost("Peak memory"), is_known_cost("accuracy")
    (True, True, False)
    """
    return any(form in _COSTS for form in _forms(name, _COST_PREFIXES, _COST_SUFFIXES))


def is_known_score(name: str) -> bool:
    """Return whether ``name`` is a well-known score, so that its direction is known.

    >>> is_known_score("cv_f1_macro"), is_known_score("quality"), is_known_score("train_time")
    (True, False, False)
    """
    return not is_known_cost(name) and _known_direction(name) is not None


def is_general_score(name: str) -> bool:
    """Return whether ``name`` tells the direction of a score, and not what is measured.

    >>> is_general_score("main_score"), is_general_score("f1_score")
    (True, False)
    """
    return is_known_score(name) and _well_known(name)[0] in _GENERAL


def is_spread(name: str) -> bool:
    """Return whether ``name`` tells how far numbers scatter, or where an interval ends.

    >>> is_spread("accuracy_std"), is_spread("95% CI"), is_spread("rating_q025"), is_spread("STS12")
    (True, True, True, False)
    """
    return _SPREAD.search(" ".join(re.findall(r"[a-z]+\d*|\d+", name.lower()))) is not None


# What stands in brackets behind a name; of any length, a name of brackets would take ages.
_UNIT = re.compile(r"(?:\[[^\]]{0,60}\]|\([^)]{0,60}\))$")
_SPREAD = re.compile(
    r"(^| )(std( ?dev| ?err)?|stdev|stddev|stderr|standard (deviation|error)|sem|ci(95)?|q\d{3}|"
    r"confidence interval)( |$)"
)


def is_error_rate(name: str) -> bool:
    """Return whether ``name`` is a share of errors, so that 1 minus it is a share of successes.

    >>> is_error_rate("test_error"), is_error_rate("rmse"), is_error_rate("accuracy")
    (True, False, False)
    """
    return any(form in _ERROR_RATES for form in _forms(name, _PREFIXES, _SUFFIXES))


def inner_cv_name(name: str) -> str:
    """Return what the score ``name`` is called when an inner cross-validation gave it.

    Such a score chose the hyper-parameters: it has the direction and range of the score itself,
    but is no estimate of how good the algorithm is.

    >>> inner_cv_name("log_loss"), measure_named(inner_cv_name("log_loss")).direction
    ('inner_cv_log_loss', 'lower is better')
    """
    return f"inner_cv_{name}"


def is_inner_cv(name: str) -> bool:
    """Return whether ``name`` is a score of an inner cross-validation.

    >>> is_inner_cv("inner_cv_accuracy"), is_inner_cv("cv_accuracy")
    (True, False)
    """
    return _squeezed(name).startswith(_INNER_CV)


def _known_direction(name: str) -> bool | None:
    form, negated = _well_known(name)
    return None if form is None else True if negated else form in _UP


def _range_of(name: str) -> tuple[float | None, float | None]:
    form, negated = _well_known(name)
    if form is None:
        return (None, None)
    # Fractions or percent: only the lower end is the same for both.
    lower, upper = _RANGES.get(form, (0.0, None))
    return (_negative(upper), _negative(lower)) if negated else (lower, upper)


def _negative(end: float | None) -> float | None:
    return None if end is None else 0.0 - end  # no -0.0


def _well_known(name: str) -> tuple[str | None, bool]:
    """Return the well-known form of a name, if it has one, and whether it is of the negated values.

    scikit-learn turns losses into scores by their sign: neg_log_loss.
    """
    for form in _forms(name, _PREFIXES, _SUFFIXES):
        if form in _UP or form in _DOWN:
            return form, False
        if form.startswith("neg"):
            rest = _forms(form.removeprefix("neg"), _PREFIXES, _SUFFIXES)
            for inner in rest:
                if inner in _DOWN:
                    return inner, True
    return None, False


def _squeezed(name: str) -> str:
    plain = name.lower().replace("²", "2")
    # pass@1 and pass@10 are pass@k; recall@5 and ndcg_at_10 are recall and NDCG of the first ones.
    plain = re.sub(r"(?<![a-z])(pass|maj|cons)[@^_ ]?(?:at[_ ])?\d+$", r"\1k", plain)
    plain = re.sub(r"(?<=[a-z])(?:@|[_ ]at[_ ])\d+$", "", plain)
    return re.sub(r"[\W_]+", "", plain)


def _written(name: str) -> list[str]:
    """Return a name as it is, and without what stands before a slash or in brackets behind it.

    ``eval/MASE[0.5]`` is MASE; ``train/accuracy`` is not accuracy, which is of unseen data.

    >>> _written("eval/MASE[0.5]"), _written("train/accuracy")
    (['eval/MASE[0.5]', 'MASE'], ['train/accuracy'])
    """
    before, _, last = _UNIT.sub("", name.strip()).rstrip().rpartition("/")
    plain = name if "train" in before.lower() or not last else last
    return list(dict.fromkeys([name, plain]))


def _forms(name: str, prefixes: tuple[str, ...], suffixes: tuple[str, ...]) -> list[str]:
    """Return the name without separators, and what is left of it after each stripping.

    The longest form comes first, so that ``mean_absolute_error`` is known before its ``mean`` goes.
    """
    forms = [_squeezed(each) for each in _written(name)]
    for form in forms:
        cut = [form.removeprefix(prefix) for prefix in prefixes]
        cut += [form.removesuffix(suffix) for suffix in suffixes]
        forms += [shorter for shorter in cut if shorter and shorter not in forms]
    return forms


def _names(text: str) -> frozenset[str]:
    return frozenset(_squeezed(word) for word in text.split())


_INNER_CV = "innercv"
_PREFIXES = (
    *(_INNER_CV, "test", "validation", "valid", "val", "cv", "mean", "avg", "holdout", "oof"),
    *("average", "overall", "normalized", "normalised", "metrics", "results", "evaluation", "eval"),
)
_SUFFIXES = (
    *("test", "validation", "valid", "val", "cv", "mean", "avg", "score", "pct", "percent"),
    *("macro", "micro", "weighted", "samples", "ovr", "ovo"),
)

_UP = _names(
    """
    accuracy acc balanced_accuracy bacc balanced_acc top_k_accuracy top1_accuracy top5_accuracy
    top1 top5 top1_acc top5_acc
    classification_accuracy predictive_accuracy accuracy_rate correct percent_correct success_rate
    is_correct
    auc roc_auc auroc auc_roc area_under_roc pr_auc auc_pr auprc area_under_pr gini
    f1 f_measure fmeasure fscore f_beta f2 f05
    precision recall sensitivity specificity tpr tnr ppv npv true_positive_rate true_negative_rate
    average_precision ap map mean_average_precision ndcg dcg mrr mean_reciprocal_rank hit_rate
    r2 r_squared d2 d2_absolute_error d2_pinball d2_tweedie d2_log_loss d2_brier
    explained_variance pearson spearman kendall concordance c_index cindex concordance_index
    kappa cohen_kappa cohens_kappa quadratic_kappa matthews mcc matthews_corrcoef
    matthews_correlation informedness youden youdens_j g_mean gmean geometric_mean
    jaccard iou mean_iou miou dice
    log_likelihood likelihood bleu rouge rouge1 rouge2 rougel meteor exact_match win_rate
    adjusted_rand ari nmi ami mutual_info adjusted_mutual_info normalized_mutual_info
    v_measure homogeneity completeness fowlkes_mallows silhouette calinski_harabasz
    acc_norm pass@k pass^k resolved resolved_rate resolve_rate percent_resolved pass_rate
    solve_rate reward episode_reward return episode_return elo elo_rating arena_score score
    main_score
    top1 top5 top1_acc top5_acc hits maj@k cons@k quasi_exact_match prefix_exact_match
    token_f1 prompt_level_strict_acc prompt_level_loose_acc inst_level_strict_acc
    inst_level_loose_acc lc_win_rate length_controlled_win_rate completion_rate task_success
    success solved n_solved percent_solved chrf sacrebleu gleu cider bert_score bleurt
    rouge_lsum ap50 ap75 map50 map50_95 map_50_95 ssim ms_ssim psnr stoi pesq sdr si_sdr si_snr
    inception_score cosine_spearman cosine_pearson cos_sim_spearman cos_sim_pearson cosine_ap
    max_ap hypervolume
    """
)
_ERROR_RATES = _names(
    """
    error err error_rate err_rate misclassification misclassification_rate misclassification_error
    classification_error balanced_error balanced_error_rate ber percent_incorrect zero_one_loss
    hamming_loss fpr fnr fdr false_positive_rate false_negative_rate false_discovery_rate eer
    equal_error_rate top1_err top5_err top1_error top5_error
    failure_rate hallucination_rate
    """
)
# Down, from 0 up, and in units of their own: compared as ratios.
_LOSSES = _names(
    """
    loss log_loss cross_entropy cross_entropy_loss crossentropy hinge hinge_loss perplexity
    rmse mse mae mape smape wmape wape mase msis msle rmsle medae nrmse rae rrse rse mdae
    mean_squared_error squared_error root_mean_squared_error root_mean_square_error
    mean_absolute_error absolute_error median_absolute_error max_error
    mean_absolute_percentage_error absolute_percentage_error percentage_error
    mean_squared_log_error squared_log_error
    root_mean_squared_log_error relative_absolute_error root_relative_squared_error
    mean_pinball_loss pinball_loss quantile_loss huber_loss crps wql weighted_quantile_loss
    weighted_sum_quantile_loss
    deviance mean_poisson_deviance poisson_deviance mean_gamma_deviance gamma_deviance
    mean_tweedie_deviance tweedie_deviance davies_bouldin
    word_perplexity byte_perplexity token_perplexity ppl bits_per_byte bpb bits_per_character bpc
    bits_per_dim time_to_solution par2 par10 fid lpips epe chamfer_distance hausdorff
    owa rmsse igd
    """
)
_POSITIVE = _LOSSES | _names("calinski_harabasz dcg mutual_info")
_DOWN = (
    _ERROR_RATES
    | _LOSSES
    | _names(
        """
        prediction_error generalization_error generalisation_error brier brier_loss brier_score_loss
        ece expected_calibration_error calibration_error nll negative_log_likelihood
        neg_log_likelihood wer cer word_error_rate character_error_rate regret metric_error
        ter der diarization_error_rate toxicity toxic_fraction simple_regret optimality_gap
        improvability
        """
    )
)
# No lower end, or a name that may be a share as well as a squared error.
_OPEN = _names(
    """
    r2 r_squared d2 d2_absolute_error d2_pinball d2_tweedie d2_log_loss d2_brier explained_variance
    log_likelihood likelihood nll negative_log_likelihood neg_log_likelihood regret
    prediction_error generalization_error generalisation_error metric_error
    reward episode_reward return episode_return elo elo_rating arena_score score main_score
    solved n_solved cider bert_score bleurt psnr pesq sdr si_sdr si_snr inception_score
    hypervolume simple_regret optimality_gap improvability
    """
)
_EXPLAINED = _names(
    """
    r2 r_squared d2 d2_absolute_error d2_pinball d2_tweedie d2_log_loss d2_brier explained_variance
    """
)
# Their names are used for what has no such ends: counts, rates above 1, losses of any kind.
_LOOSE = _names(
    """
    correct resolved error err loss wer cer word_error_rate character_error_rate ter der
    diarization_error_rate mutual_info success hits
    """
)
# They say that it is a score, and not which one: a name that does comes before them.
_GENERAL = _names("score main_score metric_error reward return elo")
_RANGES: dict[str, tuple[float | None, float | None]] = {
    _squeezed(name): span
    for names, span in (
        ("r2 r_squared d2 explained_variance", (None, 1.0)),
        ("d2_absolute_error d2_pinball d2_tweedie d2_log_loss d2_brier", (None, 1.0)),
        ("kappa cohen_kappa cohens_kappa quadratic_kappa mcc matthews", (-1.0, 1.0)),
        ("matthews_corrcoef matthews_correlation pearson spearman kendall", (-1.0, 1.0)),
        ("informedness youden youdens_j gini ari adjusted_rand silhouette", (-1.0, 1.0)),
        ("log_likelihood negative_log_likelihood neg_log_likelihood nll regret", (None, None)),
        ("ami adjusted_mutual_info", (None, 1.0)),
        ("reward episode_reward return episode_return elo elo_rating arena_score", (None, None)),
        ("score main_score metric_error bert_score bleurt psnr", (None, None)),
        ("sdr si_sdr si_snr simple_regret optimality_gap improvability", (None, None)),
        ("cosine_spearman cosine_pearson cos_sim_spearman cos_sim_pearson", (-1.0, 1.0)),
    )
    for name in names.split()
}

_COST_PREFIXES = ("mean", "avg", "total")
_COST_SUFFIXES = (
    *("mean", "avg", "seconds", "secs", "sec", "s", "ms", "minutes", "mins", "hours"),
    *("bytes", "kb", "mb", "gb", "kib", "mib", "gib"),
)
# The last word of a cost's name, and its unit as `palio.numbers.cost` knows it.
_UNITS = {
    word: unit
    for unit, words in (
        ("seconds", "s sec secs second seconds"),
        ("milliseconds", "ms msec millis millisecond milliseconds"),
        ("minutes", "mins minute minutes"),
        ("hours", "h hr hrs hour hours"),
        ("bytes", "bytes"),
        *((unit, unit.lower()) for unit in ("kB", "MB", "GB", "KiB", "MiB", "GiB", "kWh")),
    )
    for word in words.split()
}
_IN_SECONDS = _names(
    """
    fit_time score_time predict_time fit_cpu_time predict_cpu_time model_predict_cpu_time
    predict_time_per_1000 refit_time refit_cpu_time tuning_time tuning_cpu_time
    tuning_time_per_combination tuning_cpu_time_per_combination
    """
)
_COSTS = _names(
    """
    time train_time training_time fit_time predict_time prediction_time test_time testing_time
    inference_time score_time scoring_time tune_time tuning_time search_time build_time
    refit_time run_time runtime wall_time walltime wall_clock wall_clock_time cpu_time gpu_time
    fit_cpu_time predict_cpu_time model_predict_cpu_time predict_time_per_1000
    tuning_time_per_combination
    tuning_cpu_time tuning_cpu_time_per_combination refit_cpu_time capped n_capped
    user_time elapsed elapsed_time duration latency time_train time_fit time_training time_test
    time_predict user_cpu_time_millis usercpu_time_millis_training usercpu_time_millis_testing
    space memory mem ram model_bytes model_size model_space peak_memory max_memory memory_usage
    peak_memory_usage memory_peak peak_mem peak_rss max_rss storage disk
    n_parameters n_params num_parameters num_params parameter_count parameters params
    tokens input_tokens output_tokens prompt_tokens completion_tokens
    flops macs cost train_cost training_cost predict_cost test_cost energy energy_kwh emissions
    co2
    """
)
