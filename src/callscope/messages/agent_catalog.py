"""Sentences about agents who see, answer and discuss how their calls were judged."""


def _(text: str) -> str:
    """Mark a text for translation; tests/web/messages.py finds it by this name."""
    return text


AGENTS = {
    "no_agent_of_project": _("No agent with calls in this project has the id %(value)s."),
    "not_linked": _("%(value)s is not linked to an agent of this project."),
}
