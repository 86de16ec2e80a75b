"""What every page says to people who work in projects while work waits for an engine."""

import datetime as dt
from urllib.parse import urlsplit

from django.db import Error
from django.http import HttpRequest
from django.utils.translation import gettext as _

from callscope.accounts.models import User
from callscope.db import clock
from callscope.engines.identity import EngineId
from callscope.interfaces.web.templatetags.formatting import moment
from callscope.pipeline.queue.breakers.listing import EngineStatus, list_engines_in_trouble
from callscope.pipeline.queue.breakers.waits import EngineWait
from callscope.projects.permissions import writes_anywhere

SHORT = dt.timedelta(minutes=5)  # what passes sooner is no news


def build_engine_notices(request: HttpRequest) -> list[str]:
    """Return a sentence for each engine in lasting trouble; none for those who only read."""
    user = getattr(request, "user", None)
    if not isinstance(user, User):
        return []
    try:
        trouble = list_engines_in_trouble()
        long_ago = clock.read_now() - SHORT if trouble else None
        lasting = [
            status
            for status in trouble
            if status.needs_a_person or (status.since and long_ago and status.since < long_ago)
        ]
        if not lasting or not writes_anywhere(user):
            return []
        waits = _("Work that needs it waits and continues automatically once it is back.")
        return [f"{_describe(status)} {waits}" for status in lasting]
    except Error:  # a page that says that the database is away needs none of this
        return []


def describe_wait(wait: EngineWait) -> str:
    """Return what a file waits for, why, and until when."""
    goes_on = _("The next attempt is at %(time)s; work continues automatically once it is back.")
    return f"{_describe(wait)} {goes_on % {'time': moment(wait.until)}}"


def _describe(status: EngineStatus | EngineWait) -> str:
    """Return what is wrong with an engine, as a sentence."""
    engine = EngineId(status.kind, status.address)
    host = urlsplit(status.address).netloc or status.address
    names = {
        "speech": _("The speech recognition at %(host)s"),
        "language": _("The language model at %(host)s"),
        "embeddings": _("The embedding server at %(host)s"),
        "storage": _("The storage at %(host)s"),
    }
    values = {"host": host}
    if engine.is_in_process:  # of a worker
        names = {
            "speech": _("The speech model “%(model)s” on the server “%(machine)s”"),
            "embeddings": _("The sentence model “%(model)s” on the server “%(machine)s”"),
        }
        values = dict(zip(("model", "machine"), engine.model_and_machine, strict=True))
    problems = {
        "key": _("%(engine)s rejects the key in the settings."),
        "quota": _("%(engine)s is out of quota."),
        "model": _("%(engine)s does not have the model in the settings."),
        "address": _("%(engine)s does not answer like an engine of its kind: its address may be wrong."),
        "missing": _("%(engine)s is missing or cannot be loaded."),
        "busy": _("%(engine)s asks Callscope to wait."),
        "unreachable": _("%(engine)s cannot be reached."),
        "alone": _("%(engine)s works for other calls, and not for this one yet."),
    }
    problem = problems.get(status.reason, _("%(engine)s is not working right now."))
    return problem % {"engine": names[status.kind] % values}
