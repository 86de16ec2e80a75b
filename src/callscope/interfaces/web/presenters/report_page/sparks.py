"""Draw lines of one word's size as SVG, for pages."""

from collections.abc import Collection

from callscope.reports.charts import Placed, Values, draw_path


def spark_svg(
    values: Values,
    *,
    low: float | None = None,
    high: float | None = None,
    pale: Collection[int] = (),
    hollow: Collection[int] = (),
) -> str:
    """Return a line of one word's size that shows the course of a figure; "" for fewer than two values.

    `pale`: indexes of what is taken over so few calls that it is a gray dot, to which no line leads;
    `hollow`: of what covers only a part of its span, a ring.
    """
    known = [v for v in values if v is not None]
    if len(known) < 2:
        return ""
    bottom = min(known) if low is None else low
    top = max(known) if high is None else high
    spread = (top - bottom) or 1.0
    step = 100 / (len(values) - 1)
    placed = [
        None if v is None else (i * step, 22 - (v - bottom) / spread * 20) for i, v in enumerate(values)
    ]
    firm = [None if i in pale else point for i, point in enumerate(placed)]
    # A value between two gaps has no line to be seen by.
    around, last = [None, *firm, None], len(placed) - 1
    alone = [
        i for i, p in enumerate(firm) if p and i not in (*hollow, last) and around[i] is around[i + 2] is None
    ]
    parts = [f'<path d="{draw_path(firm)}" vector-effect="non-scaling-stroke"/>']
    parts += [
        _spark_dots(placed, places, css_class)
        for css_class, places in (
            ("alone", alone),
            ("pale", [i for i in pale if i not in hollow]),
            ("end", [i for i in (last,) if i not in (*pale, *hollow)]),
            ("ring", [i for i in hollow if i not in pale]),
            ("ring pale", [i for i in hollow if i in pale]),
            ("hole", hollow),
        )
    ]
    return (
        '<svg class="spark" viewBox="0 0 100 24" preserveAspectRatio="none" aria-hidden="true">'
        f"{''.join(parts)}</svg>"
    )


def _spark_dots(placed: Placed, places: Collection[int], css_class: str) -> str:
    """Return dots that stay round while the drawing stretches: lines of no length with round ends."""
    dots = "".join(f"M{p[0]:.1f} {p[1]:.1f}h0" for i, p in enumerate(placed) if p and i in places)
    return f'<path class="{css_class}" d="{dots}" vector-effect="non-scaling-stroke"/>' if dots else ""
