"""A page for every method, from its entry in a registry and the docstring behind it."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Iterator
from typing import Any

from docs.pages import api
from docs.pages.bibliography import citations
from docs.pages.families import FAMILIES, TABLE, Family

__all__ = ["FOLDER", "Run", "evaluate", "pages"]

Run = Callable[[str, str], str]
"""From set-up and expression to what Python answers."""

FOLDER = "reference/methods"

PROMISES = {
    "copy": "a copy of an algorithm does not reorder the others",
    "dominated": "an algorithm that is worse everywhere, and no cheaper, is never placed before",
    "flips": "its p-value is a share of the sign flips, so that wins alone bound it from below",
    "identical": "identical algorithms are never told apart",
    "mirror": "swapping the two algorithms mirrors the result",
    "monotone": "any growing function of the scores leaves the result as it is",
    "negation": "negated scores with the direction turned round give the same result",
    "pool-free": "the verdict on two algorithms does not depend on the others",
    "pool-free-edges": "the verdict on two algorithms does not depend on the others",
    "relabel-folds": "how repeats and folds are numbered does not matter",
    "rename": "what the algorithms are called does not matter",
    "rename-classes": "what the classes are called does not matter",
    "reorder": "the order of data sets and algorithms does not matter",
    "reorder-algorithms": "the order of the algorithms does not matter",
    "reorder-instances": "the order of the instances does not matter",
    "scale": "multiplying all scores by a constant changes nothing",
    "shift": "a constant added to the scores of all algorithms on a data set changes nothing",
}
"""What the names of properties in the registries mean."""

_CONTROLS = {
    "fwer": "the chance of any false finding (family-wise error)",
    "transitive": "the chance of any false finding, but only with tests of means or mean ranks, "
    "not with [Wilcoxon's](../pairs/wilcoxon.md) or the [sign test](../pairs/sign.md)",
    "weak": "the chance of any false finding, but only where no two algorithms differ",
    "fdr": "the share of false ones among the findings (false discovery rate)",
    "nothing": "nothing",
}
_FAMILY = {
    "any": "any family of tests",
    "pairs": "all pairs of algorithms",
    "control": "comparisons with a control",
}


def evaluate(setup: str, expression: str) -> str:
    """Return what Python answers to an expression, after the set-up; or what that prints.

    >>> evaluate("x = 2", "x + 1"), evaluate("x = 2", "print(x)")
    ('3', '2')
    """
    names: dict[str, Any] = {}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(setup, names)
        answer = eval(expression, names)
    return printed.getvalue().strip() or repr(answer)


def pages(run: Run = evaluate) -> Iterator[tuple[str, str]]:
    """Yield every page: its path, and its Markdown."""
    yield f"{FOLDER}/index.md", _index()
    public = api.homes()
    written = {*public.values()}
    for family in FAMILIES:
        yield f"{FOLDER}/{family.slug}/index.md", _family(family)
        for name in family:
            function: Any = family.function(name)
            home = f"{function.__module__}.{function.__qualname__}"
            shown = _set(public.get(home, home), written)
            yield f"{FOLDER}/{family.slug}/{name}.md", _method(family, name, shown, run)


def _index() -> str:
    rows = [
        f"| [{family.title}]({family.slug}/index.md) | {family.question} | "
        + ", ".join(f"[`{name}`]({family.slug}/{name}.md)" for name in family)
        + " |"
        for family in FAMILIES
    ]
    return "\n".join(
        [
            "# Methods",
            "",
            "Every method has a short name, which the command line and the functions take. Its "
            "page says what it answers, when it holds, how it is computed, where it comes from, "
            "and shows it at work. The pages are written from the code: what they say is what "
            "runs. If you do not know which one you need, "
            "[start here](../../guide/which.md).",
            "",
            "| family | question | methods |",
            "|---|---|---|",
            *rows,
            "",
            _contents(f"{family.slug}/index" for family in FAMILIES),
        ]
    )


def _family(family: Family) -> str:
    rows = [
        f"| [`{name}`]({name}.md) | {_cell(entry, 'title')} | {_cell(entry, 'reference')} |"
        for name, entry in family.registry.items()
    ]
    head = [f"# {family.title}", "", f"*{family.question}*", "", family.intro, ""]
    table = ["| name | method | from |", "|---|---|---|", *rows, ""]
    return "\n".join([*head, *table, _contents(f"{name} <{name}>" for name in family)])


def _contents(entries: Iterator[str]) -> str:
    listed = "\n".join(entries)
    return f"```{{toctree}}\n:hidden:\n\n{listed}\n```\n"


def _cell(entry: object, name: str) -> str:
    return str(getattr(entry, name, "")).replace("|", "\\|")


def _set(function: str, written: set[str]) -> str:
    """Let Sphinx set a docstring; of what has another page this is not the one to link to."""
    option = "\n   :no-index:" if function in written else ""
    written.add(function)
    return f"```{{eval-rst}}\n.. autofunction:: {function}{option}\n```"


def _method(family: Family, name: str, shown: str, run: Run) -> str:
    entry = family.registry[name]
    title = str(getattr(entry, "title", "") or name)
    facts = _facts(entry)
    parts = [
        f"# {title[0].upper()}{title[1:]}",
        f"`{name}` · [{family.title}](index.md) · *{family.question}*",
        family.remarks.get(name, ""),
        shown,
        *(["## Conditions and promises", *facts] if facts else []),
        *_example(family, name, run),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _facts(entry: object) -> list[str]:
    """Return what the registry says besides, as a list."""
    facts: list[str] = []

    def say(attribute: str, sentence: Callable[[Any], str]) -> None:
        value = getattr(entry, attribute, None)
        if value:
            facts.append(sentence(value))

    say("reference", lambda text: f"From {citations(text) or text}.")
    say("aliases", lambda names: f"Also taken: {', '.join(f'`{name}`' for name in names)}.")
    say("against", lambda why: f"Not what we recommend for all pairs over data sets: {why}.")
    say("needs", lambda needs: f"Needs {needs}.")
    if getattr(entry, "one_sided", True) is False:
        facts.append("Two-sided only.")
    say("test", lambda test: f"Belongs to the test `{test}`.")
    say("family", lambda kind: f"For {_FAMILY[kind]}.")
    say("controls", lambda what: f"Keeps below α: {_CONTROLS[what]}.")
    if getattr(entry, "pool_free", False):
        facts.append(f"Promised: {PROMISES['pool-free']}.")
    say("options", lambda names: f"Takes besides: {', '.join(f'`{n}`' for n in sorted(names))}.")
    say("notes", lambda notes: "\n- ".join(f"{_sentence(note)}" for note in notes))
    say(
        "properties",
        lambda names: (
            "Promised, and tested for every method: "
            + "; ".join(dict.fromkeys(PROMISES[name] for name in sorted(names)))
            + "."
        ),
    )
    return ["- " + "\n- ".join(facts)] if facts else []


def _sentence(note: str) -> str:
    return note[0].upper() + note[1:] + ("" if note.endswith(".") else ".")


def _example(family: Family, name: str, run: Run) -> list[str]:
    expression = family.example(name)
    if expression is None:
        return []
    shown = "a published study" if family.setup.startswith(TABLE) else "a real test set"
    return [
        f"## On {shown}",
        f"```python\n{family.setup}\n\n{expression}\n```",
        f"```text\n{run(family.setup, expression)}\n```",
        "On the command line:",
        f"```sh\n{family.typed(name)}\n```",
    ]
