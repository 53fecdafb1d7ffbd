"""What names and headings tell by their words: algorithm or data set, and the role of a column.

The words stand in ``vocabulary_data``, one entry per line, so that a new family of models or a new
archive is a line there and not code here. Evidence is of three kinds: the whole name is known, a
word in it is known, or only its shape speaks ("7B", "k=5", ".csv"). The better kind wins; a name
with equal evidence for both counts half for each.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from itertools import filterfalse
from typing import Any

from palio.measures import find_measures, is_general_score, is_known_score

SURE = 0.8  # weight of a heading that means hardly anything else
_EXACT, _WHOLE, _WORD, _SHAPE, _NOTHING = 4, 3, 2, 1, 0
_WEAK = 0.5  # weight of languages and the like, which may be names of either kind
_NAMING = ("algorithm", "dataset", "ignore")  # roles that one word of a heading tells
_MAX_LETTERS = 1000  # of a name or heading that are looked at
_MAX_WORDS = 12
_MAX_NAMES = 5_000  # of more distinct names every second, third … is looked at
_MAX_RUN = 4  # words of a name that are looked up together
_MIN_REST = 2  # letters beside a stem at the end: "url" does not end in "rl"

# Marks that have letters in them: tags, commands of LaTeX, roles of reST, targets of links.
_MARKUP = re.compile(r"<[^<>]{0,200}>|\\[a-zA-Z]{1,30}|:[a-z]{1,20}:(?=`)|\]\([^()]{0,300}\)")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_WORDS = re.compile(r"[^\W_]+")
_MARKS = re.compile(r"[^\w*]|_")
_VERSION = re.compile(r"(?i)(?:-?v\d|noframeskip|\s+function|\.(?:tsp|vrp|txt))\S{0,4}$")
_NUMBER = re.compile(r"v?\d{1,4}$")
_BRACKETS = re.compile(r"\([^()]{0,80}\)|\[[^\[\]]{0,80}\]")
_CORNER = re.compile(r"[/|]|\\(?![a-zA-Z])")
# An address or a whole text is no name.
_NO_NAME = re.compile(r"(?is)[a-z]{2,8}://|www\.|[\w-]{1,60}\.(?:com|org|io|net|ai|edu)/|.{200}")


@dataclass(frozen=True, slots=True)
class _Lexicon:
    """The entries of a file without case and marks; stems by their first or last two letters."""

    inside: frozenset[str]
    alone: frozenset[str]
    weak: frozenset[str]
    neither: frozenset[str]
    parts: re.Pattern[str]
    shape: re.Pattern[str]
    starts: Mapping[str, tuple[str, ...]]
    ends: Mapping[str, tuple[str, ...]]

    def weight(self, words: Sequence[str]) -> float:
        """Return the weight of a name that is known as a whole, or 0."""
        key = "".join(words)
        if key in self.inside or key in self.alone:
            return 1.0
        return _WEAK * (key in self.weak or self.weak.issuperset(words or [""]))

    def has_run(self, words: Sequence[str], starts: Sequence[int]) -> bool:
        """Return whether words in a row, from one of the starts on, are an entry or have a stem."""
        for start in starts:
            run = ""
            for word in words[start : start + _MAX_RUN]:
                run += word
                if run in self.inside or run.startswith(self.starts.get(run[:2], ())):
                    return True
            if self.has_end(words[start]):
                return True
        return False

    def has_end(self, word: str) -> bool:
        return word[_MIN_REST:].endswith(self.ends.get(word[-2:], ()))


def algorithm_share(names: Iterable[str]) -> float:
    """Return the share of distinct names that look like algorithms, models or tools.

    >>> algorithm_share(["KNN (k=7)", "my-resnet50-ft", "acme/Foo-13B-chat", "iris"])
    0.75
    """
    return _share(names, 0)


def dataset_share(names: Iterable[str]) -> float:
    """Return the share of distinct names that look like data sets.

    >>> dataset_share(["iris", "Pong-v5", "survey_2019.csv", "SVM"]), dataset_share(["1", "2"])
    (0.75, 0.0)
    """
    return _share(names, 1)


def published_direction(names: Iterable[str]) -> bool | None:
    """Return whether higher is better by how results on most of these benchmarks are published.

    >>> published_direction(["MMLU", "GSM8K (8-shot)", "iris"]), published_direction(["iris"])
    (True, None)
    >>> published_direction(["Ackley function", "eil51", "A-n32-k5.vrp"])
    False
    """
    known = _lexicon("benchmarks.txt")
    keys = ["".join(_split(_VERSION.sub("", _BRACKETS.sub(" ", _plain(name))))) for name in names]
    n_up = sum(key in known.inside or key in known.alone for key in keys)
    n_down = sum(key in known.weak or known.shape.search(key) is not None for key in keys)
    return n_up > n_down if 2 * max(n_up, n_down) > len(keys) else None


def names_benchmark(text: str) -> bool:
    """Say whether a title or a file's name has a benchmark in it whose scores are better if higher.

    >>> names_benchmark("CMMLU_README"), names_benchmark("Drop rates in a race")
    (True, False)
    """
    words, known = _split(_plain(text)), _lexicon("benchmarks.txt")
    return known.has_run(words, range(len(words)))


def _share(names: Iterable[str], kind: int) -> float:
    distinct = list(dict.fromkeys(names))
    distinct = distinct[:: 1 + len(distinct) // _MAX_NAMES]
    return sum(_kind(name)[kind] for name in distinct) / max(len(distinct), 1)


@lru_cache(maxsize=1 << 17)
def _kind(name: str) -> tuple[float, float]:
    """Return how much a name counts as an algorithm and as a data set; the sum is at most 1."""
    plain = _plain(name).strip(" *`_")
    words = _split(plain)
    learners, datasets = _lexicon("learners.txt"), _lexicon("datasets.txt")
    key = "".join(words)
    if not key or key.isdecimal() or key in learners.neither or _NO_NAME.match(plain):
        return 0.0, 0.0
    algorithm_level, algorithm = _evidence(learners, words, plain, len(words))
    # Models are called after data, seldom the other way round; numbers go before: 1027_ESL.
    first = 2 if words[0].isdecimal() and len(words) > 1 else 1
    dataset_level, dataset = _evidence(datasets, words, plain, first)
    if algorithm_level == dataset_level:
        return algorithm / 2, dataset / 2
    return (algorithm, 0.0) if algorithm_level > dataset_level else (0.0, dataset)


def _evidence(known: _Lexicon, words: list[str], plain: str, first: int) -> tuple[int, float]:
    """Return the kind of evidence that a name is in a lexicon, and the weight of the name.

    Entries inside of the name are looked for at its ``first`` words; later ones are weak evidence.
    """
    if weight := known.weight(words):
        return _EXACT, weight
    key = _NUMBER.sub("", "".join(words))
    head = _split(_BRACKETS.sub(" ", plain))
    if weight := known.weight(head) or known.weight([key]) // 1:  # R2 is not R
        return _WHOLE, weight
    if known.has_run(words, range(first)) or known.has_end(key) or known.parts.search(key):
        return _WORD, 1.0
    if known.has_run(words, range(first, len(words))):
        return _SHAPE, 1.0
    # "rmse_test" is no test set; Q2 may be a query.
    if known.shape.search(plain) and (len(key) < 3 or not is_known_score(plain)):
        return _SHAPE, 1.0
    return _NOTHING, 0.0


def heading_roles(heading: str) -> dict[str, float]:
    """Return the roles that a heading may name, with weights from 0 to 1.

    >>> heading_roles("classifier_name"), heading_roles("Jeu de données")
    ({'algorithm': 1.0}, {'dataset': 1.0})
    >>> heading_roles("name"), heading_roles("Random Forest")
    ({'algorithm': 0.3, 'dataset': 0.3}, {})
    """
    return {role: weight for role, weight in _roles(heading).items() if weight}


def has_role(heading: str, *roles: str, at_least: float = SURE) -> bool:
    """Say whether a column of this heading has one of the roles, in all likelihood.

    >>> has_role("Key_Fold", "fold", "repeat"), has_role("accuracy", "fold")
    (True, False)
    """
    found = _roles(heading)
    return any(found.get(role, 0.0) >= at_least for role in roles)


_CLASS = re.compile(
    r"(?i)(?:class|classe|clase|klasse|klass|label|класс|类别|类|クラス)[\s_#-]*(?:\d{1,3}|\w)"
    r"|(?:positive|negative) class|(?:macro|micro|weighted)[\s_-](?:avg|average)"
)


def names_class(heading: str) -> bool:
    """Say whether a heading is a class, or how classes are averaged: a part of a measure.

    >>> names_class("Classe 1"), names_class("macro avg"), names_class("iris")
    (True, True, False)
    """
    return _CLASS.fullmatch(heading.strip()) is not None


def names_measures(heading: str) -> bool:
    """Say whether a column of this heading says what its rows measure.

    >>> names_measures("eval_metric"), names_measures("criterion")
    (True, False)
    """
    return has_role(heading, "metric")


@lru_cache(maxsize=1 << 12)
def _roles(heading: str) -> Mapping[str, float]:
    known = _headings()
    plain = _plain(heading).replace("#", " num ").casefold()
    words = _WORDS.findall(_BRACKETS.sub(" ", plain)) or _WORDS.findall(plain)
    telling = [word for word in words if "generic" not in known.get(word, {})]
    for form in ("".join(words), "".join(telling), "".join(telling).removesuffix("s")):
        if form in known:
            return known[form]
    corner = [_roles(part) for part in _CORNER.split(heading) if part != heading]
    if any(corner):  # "Method / Dataset" stands above names, and left of others
        return {role: 0.8 * weight for each in corner for role, weight in each.items()}
    return {} if is_known_score(heading) else _roles_of_part(words, telling)


def _roles_of_part(words: Sequence[str], telling: Sequence[str]) -> Mapping[str, float]:
    """Return the roles of a heading by how it begins or ends: "num leaves", "repo url"."""
    known = _headings()
    for end in (3, 2, 1):
        if found := known.get("".join(words[:end]) + "*") or known.get("*" + "".join(words[-end:])):
            return found
    found = next((known[word] for word in (*telling[-1:], *telling[:1]) if word in known), {})
    return {role: weight / 2 for role, weight in found.items() if role.startswith(_NAMING)}


@cache
def _headings() -> dict[str, dict[str, float]]:
    roles: dict[str, dict[str, float]] = defaultdict(dict)
    for section, entry in _entries("headings.txt"):
        role, _, weight = section.partition(" ")
        roles[entry][role] = float(weight)
    return roles


@cache
def _lexicon(file: str) -> _Lexicon:
    found: dict[str, Any] = {name: [] for name in _Lexicon.__slots__}
    for section, entry in _entries(file):
        found[section].append(entry)
    for kind in ("inside", "alone", "weak", "neither"):
        found[kind] = frozenset(found[kind])
    for kind in ("parts", "shape"):
        found[kind] = re.compile("|".join(found[kind]), re.IGNORECASE)
    for kind, letters in (("starts", slice(2)), ("ends", slice(-2, None))):
        groups = defaultdict[str, tuple[str, ...]](tuple)
        for stem in found[kind]:
            groups[stem[letters]] += (stem,)
        found[kind] = groups
    return _Lexicon(**found)


def _entries(file: str) -> Iterator[tuple[str, str]]:
    """Yield the entries of a file without blanks and marks, each with its section."""
    text = (resources.files("palio.scores") / "vocabulary_data" / file).read_text(encoding="utf-8")
    section = ""
    for line in map(str.strip, text.splitlines()):
        if heading := re.fullmatch(r"\[([a-z_]+(?: [\d.]+)?)\]", line):
            section = heading[1]
        elif line and not line.startswith("#"):
            yield section, line if section == "shape" else _MARKS.sub("", _plain(line).casefold())


def _plain(text: str) -> str:
    """Return a text without markup and accents."""
    plain = _MARKUP.sub(" ", text[:_MAX_LETTERS])
    letters = plain if plain.isascii() else unicodedata.normalize("NFKD", plain)
    return letters if letters is plain else "".join(filterfalse(unicodedata.combining, letters))


def _split(plain: str) -> list[str]:
    """Return the words of a text, in small letters: "LightGBM_v2" has three."""
    return _WORDS.findall(_CAMEL.sub(" ", plain).casefold())[:_MAX_WORDS]


# --- measures in headings --------------------------------------------------------------------


def measure_words(names: Sequence[str]) -> list[str]:
    """Return the measure in each name, where there is one.

    Beside knn_time and svm_time, knn_nodes and svm_nodes are of a measure too.

    >>> measure_words(["knn_time", "svm_time", "knn_nodes", "svm_nodes", "size"])
    ['time', 'time', 'nodes', 'nodes', '']
    """
    words = [_measure_word(name) for name in names]
    bases = {_before(name, word) for name, word in zip(names, words, strict=True) if word}
    parts = [re.split(r"[\s_:/-]+", name) for name in names]
    return [
        word or (part[-1] if len(part) > 1 and "".join(part[:-1]) in bases else "")
        for word, part in zip(words, parts, strict=True)
    ]


def _before(name: str, word: str) -> str:
    """Return what stands before a measure in a name, without separators."""
    return re.sub(r"[\s_:/-]+", "", name).removesuffix(word.replace(" ", ""))


def _measure_word(name: str) -> str:
    """Return the well-known measure or cost that a name of several words ends or begins with.

    >>> _measure_word("LS Clean WER"), _measure_word("win_rate_scene"), _measure_word("accuracy")
    ('WER', 'win_rate', '')
    """
    found = (each.name for each in find_measures(name) if not is_general_score(each.name))
    ends = [x for x in found if x != name and (name.endswith(x) or name.startswith(x))]
    return ends[-1] if ends else ""
