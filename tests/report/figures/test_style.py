"""What every figure shares: how large texts are."""

import pytest

from palio.report.figures import style


@pytest.mark.parametrize("bold", [False, True])
def test_the_widest_is_as_wide_as_the_widest_measured(bold: bool) -> None:
    texts = [
        "",
        "i" * 30,
        "m" * 11,
        "MMMMMMMMMM",
        "Wide WAVE",
        "l1l1l1l1l1l1l1l1l1",
        "m" * 10 + "i",
    ]
    found = max(style.text_extent(text, size=style.TINY, bold=bold).width for text in texts)
    assert style.widest(iter(texts), size=style.TINY, bold=bold) == found
    assert style.widest([], size=style.TINY) == 0.0
