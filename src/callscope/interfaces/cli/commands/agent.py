"""`callscope agent`: let users see the calls of one agent."""

from typing import Annotated

import typer

from callscope.interfaces.cli.runtime.command_line import build_group
from callscope.interfaces.cli.runtime.result import CommandResult, command

agents = build_group("Let users see the calls of one agent, and nothing else.")

ProjectId = Annotated[int, typer.Argument(metavar="PROJECT_ID", help="The project's id.")]
Email = Annotated[str, typer.Argument(metavar="EMAIL")]


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.add_typer(agents, name="agent")


@command(agents, "link")
def link(
    project_id: ProjectId,
    email: Email,
    agent_id: Annotated[
        int, typer.Argument(metavar="AGENT_ID", help="The agent's number, as in the agents of the report.")
    ],
) -> CommandResult:
    """Link a user to an agent; linking again moves the link. People with a role in the project keep it."""
    from django.db import transaction

    from callscope.accounts.services import find_user
    from callscope.calls import own_calls
    from callscope.projects import services

    project, user = services.find_project(project_id), find_user(email)
    with transaction.atomic():
        agent = own_calls.find_agent(project, agent_id)
        made = own_calls.link_user(project, user.email, agent)
    document = {"id": made.pk, "email": made.email, "agent_id": agent.pk, "agent": agent.name}
    return CommandResult(document, f"{made.email} sees the calls of {agent.name} in {project.name}.")


@command(agents, "unlink")
def unlink(project_id: ProjectId, email: Email) -> CommandResult:
    """Remove the link of a user, who then sees nothing of the project."""
    from django.db import transaction

    from callscope.accounts.sign_in_limits import fold_email
    from callscope.calls import own_calls
    from callscope.calls.models import AgentUser
    from callscope.projects import services

    project = services.find_project(project_id)
    with transaction.atomic():
        found = AgentUser.objects.filter(project=project, email=fold_email(email)).first()
        if found is None:
            raise own_calls.InvalidLink("email", "not_linked", value=email[:80])
        own_calls.unlink_user(found)
    return CommandResult(
        {"email": found.email, "agent_id": found.agent_id}, f"{found.email} sees no calls of {project.name}."
    )


@command(agents, "list")
def list_links(project_id: ProjectId) -> CommandResult:
    """List who sees the calls of which agent."""
    from callscope.calls.models import AgentUser
    from callscope.projects import services

    project = services.find_project(project_id)
    links = [
        {"id": each.pk, "email": each.email, "agent_id": each.agent_id, "agent": each.agent.name}
        for each in AgentUser.objects.filter(project=project).select_related("agent").order_by("email")
    ]
    lines = [f"{each['email']}  {each['agent']} (agent {each['agent_id']})" for each in links]
    return CommandResult(
        {"results": links, "count": len(links)}, "\n".join(lines) or "Nobody is linked to an agent."
    )
