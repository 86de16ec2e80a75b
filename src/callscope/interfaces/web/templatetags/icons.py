"""Icons, drawn within the page: a `use` of another file takes a browser longer to paint."""

import re
from functools import lru_cache
from pathlib import Path

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

FILE = Path(__file__).parents[1] / "templates" / "web" / "icons.svg"


@lru_cache(maxsize=512)
def draw_icon(name: str, label: str = "") -> SafeString:
    """Return an icon of icons.svg; with a label it speaks, without one it is decoration.

    Raise KeyError where none of that name is drawn.
    """
    box, drawing = read_icons()[name]
    spoken = format_html('role="img" aria-label="{}"', label) if label else SafeString('aria-hidden="true"')
    return format_html('<svg class="icon" viewBox="{}" {}>{}</svg>', box, spoken, drawing)


@lru_cache(maxsize=1)
def read_icons() -> dict[str, tuple[str, SafeString]]:
    """Return the view box and the drawing of each icon by its name."""
    symbols = re.findall(
        r'<symbol id="(.+?)" viewBox="(.+?)">(.+?)</symbol>', FILE.read_text(encoding="utf-8")
    )
    return {name: (box, mark_safe(drawing)) for name, box, drawing in symbols}  # noqa: S308 - a file of ours
