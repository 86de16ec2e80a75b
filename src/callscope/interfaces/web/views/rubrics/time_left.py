"""How long work on calls will still take, by what is done already."""

import math

from django.utils.translation import ngettext

from callscope.interfaces.web.templatetags.formatting import number

LEAST_DONE = 10  # calls, below which the first ones say too little
LEAST_S = 5.0
MINUTE_S, HOUR_S = 60, 3600
HOURS_FROM_S = 2 * HOUR_S


def describe_time_left(done: int, calls: int, elapsed_s: float) -> str:
    """Return "about 2 minutes left", rounded up; nothing as long as too little is done."""
    if done < LEAST_DONE or elapsed_s < LEAST_S or done >= calls:
        return ""
    left_s = elapsed_s / done * (calls - done)
    if left_s >= HOURS_FROM_S:
        hours = math.ceil(left_s / HOUR_S)
        text = ngettext("about %(count)s hour left", "about %(count)s hours left", hours)
        return text % {"count": number(hours)}
    minutes = math.ceil(left_s / MINUTE_S)
    text = ngettext("about %(count)s minute left", "about %(count)s minutes left", minutes)
    return text % {"count": number(minutes)}
