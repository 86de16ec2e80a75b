"""What every page says to people who work in projects while work waits for an engine."""

import datetime as dt
from urllib.parse import urlsplit

from django.db import Error
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _

from callscope.accounts.models import User
from callscope.engines.identity import EngineId
from callscope.pipeline.queue.breakers.listing import EngineStatus, list_engines_in_trouble
from callscope.projects.permissions import writes_anywhere

SHORT = dt.timedelta(minutes=5)  # what passes sooner is no news


def build_engine_notices(request: HttpRequest) -> list[str]:
    """Return a sentence for each engine in lasting trouble; none for those who only read."""
    user = getattr(request, "user", None)
    if not isinstance(user, User):
        return []
    long_ago = timezone.now() - SHORT
    try:
        lasting = [
            status
            for status in list_engines_in_trouble()
            if status.needs_a_person or (status.since is not None and status.since < long_ago)
        ]
        return [_describe(status) for status in lasting] if lasting and writes_anywhere(user) else []
    except Error:  # a page that says that the database is away needs none of this
        return []


def _describe(status: EngineStatus) -> str:
    is_in_process = EngineId(status.kind, status.address).is_in_process
    host = urlsplit(status.address).netloc or status.address
    names = {
        "speech": _("The speech recognition at %(host)s"),
        "language": _("The language model at %(host)s"),
        "embeddings": _("The embedding server at %(host)s"),
        "storage": _("The storage at %(host)s"),
    }
    if is_in_process:  # of a worker: the model and the machine
        names = {
            "speech": _("The speech model %(host)s"),
            "embeddings": _("The sentence model %(host)s"),
        }
    problems = {
        "key": _("%(engine)s rejects the key in the settings."),
        "quota": _("%(engine)s is out of quota."),
        "model": _("%(engine)s does not have the model in the settings."),
        "address": _("%(engine)s does not answer like an engine of its kind: its address may be wrong."),
        "missing": _("%(engine)s is missing or cannot be loaded."),
        "busy": _("%(engine)s asks Callscope to wait."),
    }
    problem = problems.get(status.reason, _("%(engine)s is not working right now."))
    waiting = _("Work that needs it waits and continues automatically once it is back.")
    return f"{problem % {'engine': names[status.kind] % {'host': host}}} {waiting}"
