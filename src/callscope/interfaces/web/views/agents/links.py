"""Who sees own calls of a project as one of its agents: the form, and what is said about a link."""

from collections.abc import Iterable, Sequence

from django import forms
from django.contrib import messages
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from callscope.accounts.models import User
from callscope.accounts.services import MAX_EMAIL_LENGTH
from callscope.calls.models import Agent, AgentUser
from callscope.calls.names import person_key
from callscope.calls.namesakes import label_names
from callscope.interfaces.web.decorators import current_user
from callscope.projects.models import Project
from callscope.reports.call_list.listing import ListedAgent, list_agents
from callscope.reviews.appeal_records import Acknowledgement, Appeal

MAX_AGENTS = 2000  # in the list to choose from
MAX_SIMILAR = 3  # names that a message repeats


class Link(forms.Form):
    """Whom to link to which agent."""

    email = forms.EmailField(
        label=gettext_lazy("E-mail of the agent"),
        max_length=MAX_EMAIL_LENGTH,
        widget=forms.EmailInput(attrs={"id": "agent-email"}),
    )
    agent_id = forms.TypedChoiceField(
        label=gettext_lazy("Agent"),
        coerce=int,
        error_messages={"required": gettext_lazy("Choose an agent.")},
    )

    def __init__(self, project: Project, data: object = None) -> None:
        super().__init__(data)  # type: ignore[arg-type]
        field = self.fields["agent_id"]
        assert isinstance(field, forms.TypedChoiceField)
        self.agents = list_agents([project], most=MAX_AGENTS)
        # With an agent chosen beforehand, a hurried click would show one person the calls of another.
        field.choices = [("", gettext_lazy("Choose an agent"))]
        field.choices += [(each.id, each.label) for each in self.agents]
        self.replaced: AgentUser | None = None  # the link that would be replaced, once that was asked

    def label(self, others: Iterable[Agent]) -> dict[int, str]:
        """Return how to show the agents to choose, and others next to them: one may have no call any more."""
        named = [each[:3] for each in self.agents]
        return label_names([*named, *((each.pk, each.name, each.external_id) for each in others)])

    def asks_to_replace(self, former: AgentUser | None, agent: Agent) -> bool:
        """Return whether the e-mail has the link of another agent, and nobody has asked yet."""
        if former is None or former.agent_id == agent.pk or self.data.get("replaces") == str(former.pk):
            return False
        self.replaced = former
        text = _("%(email)s already sees the calls of %(agent)s. Choose “Link” again to replace that link.")
        named = self.label([former.agent])[former.agent_id]
        self.add_error("email", text % {"email": former.email, "agent": named})
        return True


def announce_link(
    request: HttpRequest, form: Link, email: str, agent: Agent, former: AgentUser | None, role: str
) -> None:
    """Say who sees what from now on, or once there is an account, where the visitor may know that.

    `former` is the link of the e-mail before, `role` what else gives access: the page lists both.
    """
    labels = form.label([agent, former.agent] if former is not None else [agent])
    waits = is_waiting(current_user(request), email)
    if role:
        text = _("%(email)s is linked to the calls of %(agent)s, and keeps the access as %(role)s.")
    elif waits is None:
        text = _(
            "Anyone who signs in as %(email)s sees the calls of %(agent)s, and nothing else of this project. "
            "Check the address: without an account, the link waits for one."
        )
    elif waits:
        text = _(
            "No account has the address %(email)s. Once one does, it will see the calls of %(agent)s, and "
            "nothing else of this project."
        )
    else:
        text = _("%(email)s sees the calls of %(agent)s, and nothing else of this project.")
    named = labels[agent.pk]
    if former is not None and former.agent_id != agent.pk:
        # Translators: within “sees the calls of …”, where an agent's name stands
        named = _("%(agent)s instead of %(former)s") % {"agent": named, "former": labels[former.agent_id]}
    announce = messages.warning if waits else messages.success
    announce(request, text % {"email": email, "agent": named, "role": role})


def is_waiting(visitor: User, email: str) -> bool | None:
    """Return whether a link waits for an account; None for visitors who may not learn who has one."""
    return not User.objects.filter(email=email).exists() if visitor.is_superuser else None


def list_seen(project: Project) -> set[str]:
    """Return the addresses whose owners have read or appealed a result of the project: they have accounts.

    Managers read of both on other pages, so that this does not tell who else has an account.
    """
    read = Acknowledgement.objects.filter(review__project=project).values_list("user__email", flat=True)
    appealed = Appeal.objects.filter(project=project, appellant__isnull=False)
    return {*read.distinct(), *appealed.values_list("appellant__email", flat=True).distinct()}


def find_similar(agents: Sequence[ListedAgent], agent: Agent) -> list[str]:
    """Return other ones of the agents with a name that begins this one's, or that this one's begins."""
    key, similar = person_key(agent.name), []
    for each in agents:
        other = person_key(each.name)
        if each.id != agent.pk and (f"{other} ".startswith(f"{key} ") or f"{key} ".startswith(f"{other} ")):
            similar.append(each.label)
    return similar[:MAX_SIMILAR]
