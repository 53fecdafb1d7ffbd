"""Files: figures as SVG, PNG or PDF, by the suffix; each is there whole or not at all."""

from __future__ import annotations

import io
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from palio.errors import ParameterError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# What goes into the file besides the picture: no dates, so that the same figure is the same file.
_FORMATS: dict[str, dict[str, Any]] = {
    ".svg": {"format": "svg", "metadata": {"Date": None}},
    ".png": {"format": "png", "metadata": {}},
    ".pdf": {"format": "pdf", "metadata": {"CreationDate": None}},
}


_FONT = re.compile(rb"<text style=\"[^\"]*'DejaVu Sans'(?:, '[^']*')*")


def check_path(path: str | os.PathLike[str]) -> Path:
    """Return a path that a figure can be saved to, or say what is wrong before it is drawn.

    Parameters
    ----------
    path : path-like
        Where a figure is to go.

    Returns
    -------
    pathlib.Path
        The same path.

    Examples
    --------
    >>> check_path("figure.jpg")
    Traceback (most recent call last):
    ...
    palio.errors.ParameterError: path: 'figure.jpg' must end in .svg, .png or .pdf.
    """
    target = Path(path)
    if target.suffix.lower() not in _FORMATS:
        raise ParameterError("path", f"{str(target)!r} must end in .svg, .png or .pdf")
    if target.is_dir():
        raise ParameterError("path", f"{str(target)!r} cannot be written: it is a folder")
    if not target.parent.is_dir():
        raise ParameterError(
            "path", f"{str(target)!r} cannot be written: {str(target.parent)!r} is not a folder"
        )
    return target


def save(fig: Figure, path: str | os.PathLike[str]) -> Path:
    """Write a figure to a file, in the format that the suffix names.

    Parameters
    ----------
    fig : matplotlib.figure.Figure
        What `draw` returned.
    path : path-like
        Ends in ``.svg``, ``.png`` (200 dpi) or ``.pdf``. An existing file is replaced, and only
        once the new one is complete.

    Returns
    -------
    pathlib.Path
        The path.

    Examples
    --------
    >>> import tempfile
    >>> import palio
    >>> from palio.report.figures import draw
    >>> found = palio.compare(palio.load_study("ulas2008"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(draw(found, "critical-difference"), Path(folder) / "ranks.svg").name
    'ranks.svg'
    """
    target = check_path(path)
    content = rendered(fig, target.suffix.lower())
    try:
        replace_file(target, content)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ParameterError("path", f"{str(target)!r} cannot be written: {reason}") from None
    return target


def rendered(fig: Figure, suffix: str) -> bytes:
    """Return what the file of a figure holds."""
    from matplotlib import rc_context

    from palio.report.figures.style import DPI, FILE_SETTINGS, PAPER

    buffer = io.BytesIO()
    with rc_context({**FILE_SETTINGS, "pdf.fonttype": _font_type(fig)}):
        fig.savefig(buffer, dpi=DPI, facecolor=PAPER, **_FORMATS[suffix])
    content = buffer.getvalue()
    # Texts are texts, which can be searched and edited; elsewhere another font may stand in.
    return (
        _FONT.sub(rb"\g<0>, Verdana, 'Segoe UI', sans-serif", content)
        if suffix == ".svg"
        else content
    )


def _font_type(fig: Figure) -> int:
    """Return how a PDF keeps fonts: as TrueType, which those of other scripts seldom are."""
    from matplotlib.text import Text

    texts = (each for each in fig.findobj(Text) if isinstance(each, Text))
    return 3 if any(len(each.get_fontfamily()) > 1 for each in texts) else 42


def replace_file(target: Path, content: bytes) -> None:
    """Write beside the target, then rename: whoever reads the target never sees half a file."""
    if target.exists() and not target.is_file():  # a pipe, a terminal: nothing to rename
        target.write_bytes(content)
        return
    target = Path(os.path.realpath(target))
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        part.write_bytes(content)
        part.replace(target)
    except OSError:
        part.unlink(missing_ok=True)
        raise
