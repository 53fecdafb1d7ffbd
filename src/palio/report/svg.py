"""Figures as SVG inside a page: no styles of their own, no ids that collide, little weight.

Texts stay texts, so that they can be searched, selected and read aloud; layouts were measured in
DejaVu Sans, which is as wide as any font that stands in for it. Styles become attributes, which a
strict content security policy does not block. Marks say which algorithms they stand for (`Marks`);
over the cells of grids and the rows of lists lie areas that cannot be seen but pointed at.
"""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from xml.etree import ElementTree as ET

from matplotlib import rc_context
from matplotlib.figure import Figure

from palio.report.elements import Html, printable
from palio.report.figures.style import FILE_SETTINGS, PAPER, Area, Drawn, clean
from palio.words import on_page

# Of at most so many pixels, a figure has room to be shown larger where the screen is wide; of more
# than so many, it is shown a little smaller where that saves scrolling.
_SMALL, _WIDE = 760, 940

# What of a style is kept.
_STYLES = (
    "fill", "fill-opacity", "stroke", "stroke-dasharray", "stroke-dashoffset", "stroke-linecap",
    "stroke-linejoin", "stroke-opacity", "stroke-width", "font-size", "font-weight", "text-anchor",
    "opacity",
)  # fmt: skip

_DROPPED = frozenset({"metadata", "style", "clipPath", "title"})
_KEPT = frozenset({"d", "x", "y", "width", "height", "transform", "opacity", "points", "r"})
_COMMANDS = re.compile(r"([A-Za-z])([^A-Za-z]*)")
_FONT = re.compile(r"font:[^;]*?(\b[1-9]00\b|\bbold\b)?\s*([\d.]+)px[^;]*")
_NO_TURN = re.compile(r"rotate\(-?0(?:\.0*)?[ ,][^)]*\)\s*")


def inline_svg(fig: Figure, *, prefix: str, label: str, algorithms: Sequence[str] = ()) -> Html:
    """Return a figure as an SVG element for a page.

    Parameters
    ----------
    fig : matplotlib.figure.Figure
        What `palio.report.figures.draw` returned.
    prefix : str
        Before the ids of what is used more than once, so that two figures of a page do not clash.
    label : str
        What the figure shows, in words, for whoever cannot see it.
    algorithms : sequence of str
        Names as the figure has them: a mark that stands for one has its number, from 0, as
        ``data-a``; one of a pair also ``data-b``; a bar over a group all of theirs as
        ``data-group``. Of areas that overlap, as a row of a large matrix and its columns, the row
        is on top.

    Returns
    -------
    Html

    Examples
    --------
    >>> from palio.report.figures import draw
    >>> import palio
    >>> scores = {"dataset": ["x", "y"], "a": [0.9, 0.8], "<b>": [0.7, 0.6]}
    >>> found = palio.compare(palio.read_scores(scores, score="accuracy"))
    >>> svg = inline_svg(draw(found, "critical-difference"), prefix="cd", label="a leads")
    >>> svg.startswith('<svg role="img" aria-label="a leads" '), "&lt;b&gt;" in svg, "style" in svg
    (True, True, False)
    """
    marks = Marks(algorithms)
    root = ET.fromstring(_rendered(fig))
    nodes = [node for child in root for node in _cleaned(child, prefix, marks)]
    if isinstance(fig, Drawn):
        nodes += _over(fig.areas, marks)
    width, height = (float(root.attrib[side].removesuffix("pt")) for side in ("width", "height"))
    svg = ET.Element(
        "svg",
        {
            "role": "img",
            "aria-label": printable(on_page(label)),
            "viewBox": f"0 0 {_short(width)} {_short(height)}",
            "width": str(round(width * 96 / 72)),
            "height": str(round(height * 96 / 72)),
            "class": _size(width * 96 / 72),
        },
    )
    svg.extend(nodes)
    return Html(ET.tostring(svg, encoding="unicode"))


def _size(width: float) -> str:
    return "small" if width <= _SMALL else "wide" if width > _WIDE else "medium"


def _rendered(fig: Figure) -> bytes:
    # In a page everything is drawn: neighbours are merged below, so it stays small.
    for axes in fig.axes:
        for artist in axes.collections:
            artist.set_rasterized(False)
    buffer = io.BytesIO()
    with rc_context({**FILE_SETTINGS, "svg.fonttype": "none"}):
        fig.savefig(buffer, format="svg", facecolor=PAPER, metadata={"Date": None})
    return buffer.getvalue()


# --- from matplotlib's SVG to ours ---------------------------------------------------------------


def _over(areas: Sequence[Area], marks: Marks) -> Iterator[ET.Element]:
    """Yield what lies over a figure, so that it can be pointed at."""
    group = ET.Element("g", {"class": "areas", "fill": "none", "pointer-events": "all"})
    for area in areas:
        named = marks.on(area)
        left, right, bottom, top = (72 * side for side in area.box)
        across, down = _short(right - left), _short(top - bottom)
        path = f"M{_short(left)} {_short(-top)}h{across}v{down}h-{across}z"
        if named:
            ET.SubElement(group, "path", {**named, "d": path})
    if len(group):
        yield group


def _cleaned(element: ET.Element, prefix: str, marks: Marks) -> Iterator[ET.Element]:
    """Yield what is left of an element; groups that say nothing give way to what is in them."""
    name = _local(element.tag)
    if name in _DROPPED:
        return
    children = [kept for child in element for kept in _cleaned(child, prefix, marks)]
    if name in ("g", "defs") and not children:
        return
    node = ET.Element(name, _attributes(element, prefix))
    node.text = printable((element.text or "").strip())
    node.extend(_merged(children))
    if name == "g":
        _say_whose(node, marks.of(element.attrib.get("id", "")))
        if not node.attrib:
            yield from node
            return
    yield node


def _own(prefix: str, name: str) -> str:
    """Return a short id of a figure's own for what it uses thousands of times.

    >>> _own("cd", "m1f") == _own("cd", "m1f") != _own("pareto", "m1f")
    True
    """
    return f"m{zlib.crc32(f'{prefix} {name}'.encode()):x}"


def _attributes(element: ET.Element, prefix: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for key, value in element.attrib.items():
        local = _local(key)
        if local == "style":
            found |= _style(value)
        elif local == "href":
            found["href"] = f"#{_own(prefix, value.removeprefix('#'))}"
        elif local in _KEPT:
            found[local] = value
    if "d" in found:
        found["d"] = _short_path(found["d"])
        if "id" in element.attrib:  # a marker, which is used elsewhere
            found["id"] = _own(prefix, element.attrib["id"])
    if "transform" in found:
        found["transform"] = _NO_TURN.sub("", found["transform"])
    for key in ("x", "y"):
        if key in found:
            found[key] = _short(float(found[key]))
    return {key: value for key, value in found.items() if value != ""}


def _style(text_of_style: str) -> dict[str, str]:
    """Return what of a style is kept.

    An older Matplotlib tells a font in one property.

    >>> _style("font: 700 7px 'DejaVu Sans', sans-serif; text-anchor: end")
    {'font-weight': '700', 'font-size': '7', 'text-anchor': 'end'}
    """
    text_of_style = _FONT.sub(r"font-weight:\1;font-size:\2", text_of_style)
    pairs = (part.partition(":")[::2] for part in text_of_style.split(";") if ":" in part)
    return {
        key.strip(): value.strip().removesuffix("px")
        for key, value in pairs
        if value.strip() and key.strip() in _STYLES
    }


def _say_whose(group: ET.Element, named: dict[str, str]) -> None:
    """Write on a mark which algorithms it stands for; one shape alone needs no group for that."""
    (group[0] if len(group) == 1 else group).attrib.update(named)


def _merged(nodes: list[ET.Element]) -> list[ET.Element]:
    """Draw neighbours that look the same in one stroke, unless they shine through each other.

    What stands for different algorithms does not look the same.
    """
    found: list[ET.Element] = []
    for node in nodes:
        look = {key: value for key, value in node.attrib.items() if key != "d"}
        last = found[-1] if found else None
        if (
            last is not None
            and node.tag == last.tag == "path"
            and not {"fill-opacity", "stroke-opacity", "opacity", "id", "transform"} & look.keys()
            and look == {key: value for key, value in last.attrib.items() if key != "d"}
        ):
            last.attrib["d"] += node.attrib["d"]
        else:
            found.append(node)
    return found


def _local(name: str) -> str:
    return name.rpartition("}")[2]


def _short(value: float) -> str:
    """Write a coordinate; a hundredth of a point is finer than any screen.

    >>> _short(58.3200001), _short(-0.001)
    ('58.32', '0')
    """
    written = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if written in ("-0", "") else written


@lru_cache(maxsize=1 << 16)  # the cells of a grid share their corners
def _short_text(number: str) -> str:
    return _short(float(number))


def _short_path(path: str) -> str:
    """Write a path with fewer digits, and its level and upright lines by how far they go.

    >>> _short_path("M 1.0 2.004 L 3.5 2.004 L 3.5 4 z")
    'M1 2h2.5v2z'
    """
    parts: list[str] = []
    at: list[str] = []
    for command, numbers in _COMMANDS.findall(path):
        to = [_short_text(each) for each in numbers.split()]
        along = [i for i in (0, 1) if command == "L" and at and to[1 - i] == at[1 - i]]
        if along:
            parts.append(f"{'hv'[along[0]]}{_short(float(to[along[0]]) - float(at[along[0]]))}")
        else:
            parts.append(command + " ".join(to))
        at = to[-2:]
    return "".join(parts)


# --- writing -------------------------------------------------------------------------------------


# --- which algorithms a mark stands for, by matplotlib's ids --------------------------------------

# What stands for one algorithm, by the kind that its id begins with; in a graph a panel follows.
_ALONE = frozenset({
    "name", "rank", "mean-rank", "leader", "at", "differs", "same", "control", "interval", "point",
    "side", "column", "node", "number", "gone", "p_best", "p_as_good",
})  # fmt: skip
_PAIRS = frozenset({"arc", "head"})
_GROUPS = frozenset({"bar", "pieces-of-bar"})
_PANEL = re.compile(r":(?:whole|step\d+)$")

Attributes = dict[str, str]


class Marks:
    """The numbers of the algorithms, by their names as figures write them.

    Examples
    --------
    >>> marks = Marks(["svr", "c45", "a|b", "a"])
    >>> marks.of("name:svr"), marks.of("arc:c45->svr:step2"), marks.of("bar:svr|a|b")
    ({'data-a': '0'}, {'data-a': '1', 'data-b': '0'}, {'data-group': '0 2'})
    >>> marks.of("tick:svr"), marks.of("name:iris"), marks.of("text_1")
    ({}, {}, {})
    """

    def __init__(self, algorithms: Sequence[str] = ()) -> None:
        self._numbers = {clean(name): str(i) for i, name in enumerate(algorithms)}

    def of(self, gid: str) -> Attributes:
        """Return what is written on the mark with an id; nothing where it stands for nobody."""
        kind, _, named = gid.partition(":")
        if kind in _ALONE:
            return self._numbered([named] if named in self._numbers else [_PANEL.sub("", named)])
        if kind in _PAIRS:
            return self._numbered(self._parted(_PANEL.sub("", named), "->"))
        if kind in _GROUPS:
            members = [self._numbers[name] for name in self._parted(named, "|")]
            return {"data-group": " ".join(members)} if members else {}
        return {}

    def on(self, area: Area) -> Attributes:
        """Return what is written on an area."""
        return self._numbered(area.names)

    def _numbered(self, names: Iterable[str]) -> Attributes:
        numbers = [self._numbers.get(clean(name)) for name in names]
        if None in numbers:
            return {}
        return {f"data-{key}": str(number) for key, number in zip("ab", numbers, strict=False)}

    def _parted(self, named: str, between: str) -> list[str]:
        """Return the names that a text joins, which may hold what joins them; else nothing."""
        return self._joined(named.split(between), between) or []

    def _joined(self, parts: list[str], between: str) -> list[str] | None:
        if not parts:
            return []
        for size in range(1, len(parts) + 1):
            name = between.join(parts[:size])
            if name in self._numbers:
                others = self._joined(parts[size:], between)
                if others is not None:
                    return [name, *others]
        return None
