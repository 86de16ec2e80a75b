"""Sentences about agents who see, answer and discuss how their calls were judged."""


def _(text: str) -> str:
    """Mark a text for translation; tests/web/messages.py finds it by this name."""
    return text


AGENTS = {
    "no_agent_of_project": _("No agent with calls in this project has the id %(value)s."),
    "blank_appeal_reason": _("Enter a reason."),
    "appeal_too_late": _(
        "Call %(value)s can no longer be appealed: the %(days)s days after its result ended on %(end)s (UTC)."
    ),
    "appeal_is_open": _('Criterion "%(value)s" already has an appeal that is waiting for a decision.'),
    "appeal_was_decided": _('An appeal of this result of criterion "%(value)s" was already decided.'),
    "appeal_is_decided": _("Appeal %(value)s is already %(state)s. Decisions cannot be changed."),
    "appeal_outdated": _(
        'The call no longer has criterion "%(criterion)s", so appeal %(value)s can only be refused.'
    ),
    "appeal_without_results": _(
        "The results of the call were removed, so the appeal can no longer be decided."
    ),
    "appeal_by_reviewer": _("You gave the answers that this appeal is about. Someone else has to decide it."),
    "appeal_by_appellant": _("This appeal is about your own call. Someone else has to decide it."),
    "appeal_of_another": _("Somebody else filed appeal %(value)s. Only they can withdraw it."),
    "answer_of_refusal": _('A refusal does not change any answer: leave out the answer "%(value)s".'),
    "nothing_to_acknowledge": _("Call %(value)s has no review to acknowledge."),
    "not_your_call": _("Only the agent of the call can do this."),
    "not_linked": _("%(value)s is not linked to an agent of this project."),
}
