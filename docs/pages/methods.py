"""A page for every method, from its entry in a registry and the docstring behind it."""

from __future__ import annotations

import contextlib
import inspect
import io
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from docs.pages.docstrings import Docstring, parse, to_markdown
from docs.pages.families import FAMILIES, TABLE, Family
from palio.bayes.models import anova_model

__all__ = ["Run", "evaluate", "family_page", "method_page", "methods_page", "nav", "pages"]

Run = Callable[[str, str], str]
"""From set-up and expression to what Python answers."""

FOLDER = "methods"

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
    """Yield every page: its path in the site, and its Markdown."""
    yield f"{FOLDER}/index.md", methods_page()
    for family in FAMILIES:
        yield f"{FOLDER}/{family.slug}/index.md", family_page(family)
        for name in family:
            yield f"{FOLDER}/{family.slug}/{name}.md", method_page(family, name, run)


def nav() -> list[Any]:
    """Return the part of the navigation that these pages are."""
    entries: list[Any] = [f"{FOLDER}/index.md"]
    for family in FAMILIES:
        folder = f"{FOLDER}/{family.slug}"
        entries.append(
            {
                family.title: [
                    f"{folder}/index.md",
                    *({name: f"{folder}/{name}.md"} for name in family),
                ]
            }
        )
    return entries


def methods_page() -> str:
    """Return the page of all families."""
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
            "runs. If you do not know which one you need, [start here](../which.md). The papers "
            "behind short names such as *ulas2008* are [listed](../papers.md).",
            "",
            "| family | question | methods |",
            "|---|---|---|",
            *rows,
            "",
        ]
    )


def family_page(family: Family) -> str:
    """Return the page of one family: its question, and what there is."""
    rows = [
        f"| [`{name}`]({name}.md) | {_cell(family.registry[name], 'title')} | "
        f"{_cell(family.registry[name], 'reference')} |"
        for name in family
    ]
    return "\n".join(
        [
            f"# {family.title}",
            "",
            f"*{family.question}*",
            "",
            family.intro,
            "",
            "| name | method | from |",
            "|---|---|---|",
            *rows,
            "",
        ]
    )


def _cell(entry: object, name: str) -> str:
    return str(getattr(entry, name, "")).replace("|", "\\|")


def method_page(family: Family, name: str, run: Run = evaluate) -> str:
    """Return the page of one method."""
    entry, documented = family.registry[name], family.function(name)
    doc = parse(documented)
    links = _links(family, documented)
    parts = [
        f"# {_title(entry, name)}",
        f"`{name}` · {family.title} · *{family.question}*",
        "## What it answers, and when it holds",
        *_remark(family, name),
        to_markdown(f"{doc.summary}\n\n{doc.text}", links),
        *_facts(entry),
        "## How it is computed",
        to_markdown(_formula(documented, doc), links),
    ]
    if family.parameters:
        parts += ["## Parameters", _parameters(doc, links)]
    parts += ["## Papers", *_papers(entry, doc, links), "## Examples"]
    if "Examples" in doc.sections:
        parts.append(to_markdown(_with_imports(doc.sections["Examples"], documented), links))
    parts += _example(family, name, run)
    return "\n\n".join(part for part in parts if part) + "\n"


def _title(entry: object, name: str) -> str:
    title = str(getattr(entry, "title", "") or name)
    return title[0].upper() + title[1:]


def _links(family: Family, documented: object) -> dict[str, str]:
    """Return where the functions that have a page are, seen from a family's folder.

    Of several that have the same name the one in the same module is meant, or in the same family.
    """
    found: dict[str, str] = {}
    near: dict[str, str] = {}
    module = getattr(documented, "__module__", "")
    # Second passes put functions of other families to use: those have pages of their own.
    for other in sorted((*FAMILIES, family), key=lambda each: each.slug != "second-pass"):
        for name in other:
            function = other.function(name)
            home, called = getattr(function, "__module__", ""), getattr(function, "__name__", "")
            page = f"../{other.slug}/{name}.md"
            found[called] = found[f"{home}.{called}"] = page
            if home == module:
                near[called] = page
    return {**found, **near}


def _remark(family: Family, name: str) -> tuple[str, ...]:
    return (family.remarks[name],) if name in family.remarks else ()


def _formula(documented: object, doc: Docstring) -> str:
    """Return the notes of a function; of a Bayesian model also what its module says of it."""
    notes = doc.sections.get("Notes", "")
    module = inspect.getmodule(documented)
    if module is None or not module.__name__.startswith("palio.bayes."):
        return notes
    model = anova_model if module.__name__ == "palio.bayes.models.anova" else module
    return f"{parse(model).text}\n\n{notes}".strip()


def _facts(entry: object) -> list[str]:
    """Return what the registry says besides, as a list."""
    facts: list[str] = []

    def say(attribute: str, sentence: Callable[[Any], str]) -> None:
        value = getattr(entry, attribute, None)
        if value:
            facts.append(sentence(value))

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


def _parameters(doc: Docstring, links: Mapping[str, str]) -> str:
    """Return the parameters as a list: names, then what they are."""
    items: list[str] = []
    for line in doc.sections.get("Parameters", "").splitlines():
        if line and not line.startswith(" "):
            names = ", ".join(f"`{part.strip()}`" for part in line.partition(" : ")[0].split(","))
            items.append(f"- {names}:")
        else:
            items[-1] += " " + line.strip()
    return "\n".join(
        item.partition(":")[0] + ": " + to_markdown(item.partition(":")[2].strip(), links)
        for item in items
    )


def _papers(entry: object, doc: Docstring, links: Mapping[str, str]) -> list[str]:
    short = getattr(entry, "reference", "")
    full = doc.sections.get("References", "")
    if not short and not full:
        return ["No paper is followed here."]
    return [
        *([to_markdown(full, links)] if full else []),
        *([f"In short: {short} ([short names](../../papers.md))."] if short else []),
    ]


def _with_imports(example: str, documented: object) -> str:
    """Put what a docstring takes for granted, being in its module, before its first line."""
    module = inspect.getmodule(documented)
    public = [name for name, _ in inspect.getmembers(module, callable) if name[0] != "_"]
    used = [name for name in public if re.search(rf"(?<![.\w]){name}\(", example)]
    lines = [
        *(["import numpy as np"] if re.search(r"\bnp\.", example) else []),
        *([f"from {module.__name__} import {', '.join(used)}"] if module and used else []),
    ]
    missing = "".join(f">>> {line}\n" for line in lines if line not in example)
    return re.sub(r"^>>>", f"{missing}>>>", example, count=1, flags=re.MULTILINE)


def _example(family: Family, name: str, run: Run) -> list[str]:
    expression = family.example(name)
    if expression is None:
        return []
    shown = "A published study:" if family.setup.startswith(TABLE) else "A real test set:"
    return [
        shown,
        f"```python\n{family.setup}\n\n{expression}\n```",
        f"```text\n{run(family.setup, expression)}\n```",
        "On the command line:",
        f"```sh\n{family.typed(name)}\n```",
    ]
