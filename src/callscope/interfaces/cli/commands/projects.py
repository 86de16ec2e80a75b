"""`callscope project`: create, configure, show and share projects."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from callscope.interfaces.cli.runtime.command_line import build_group
from callscope.interfaces.cli.runtime.errors import Failure
from callscope.interfaces.cli.runtime.result import CommandResult, command
from callscope.processes.standard_streams import open_input

projects = build_group("Create, configure, show and share projects.")

ProjectId = Annotated[int, typer.Argument(metavar="ID", help="The project's id.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.add_typer(projects, name="project")


@command(projects, "create")
def create_project(
    name: Annotated[str, typer.Argument(metavar="NAME")],
    owner: Annotated[str, typer.Option("--owner", metavar="EMAIL", help="The owner's e-mail.")],
    team: Annotated[
        int | None, typer.Option("--team", metavar="ID", help="The id of the team it belongs to.")
    ] = None,
    type: Annotated[
        Literal["call", "general"], typer.Option("--type", metavar="call|general", help="What it contains.")
    ] = "call",
    config: Annotated[
        Path | None,
        typer.Option("--config", metavar="FILE.yaml", help="Its configuration; default: all defaults."),
    ] = None,
) -> CommandResult:
    """Create a project. An invalid configuration is rejected, with the path and reason of each error."""
    from callscope.accounts.services import find_team, find_user
    from callscope.projects import services

    document = read_document(config) if config else None
    project = services.create_project(
        find_user(owner), name, type, find_team(team) if team is not None else None, document
    )
    return CommandResult({"id": project.pk}, f"Created project {project.pk}: {project.name}.")


def read_document(path: Path) -> dict[str, Any]:
    """Return the validated document in a YAML or JSON file. Raise Failure or InvalidConfiguration."""
    from callscope.projects import configuration

    if path.is_dir():
        raise Failure(f"{path} is a folder. Allowed: a YAML or JSON file with a project configuration.")
    with open_input(path) as file:
        text = file.read(configuration.MAX_DOCUMENT_BYTES + 1)
    try:
        return configuration.parse_yaml(text).as_document()
    except configuration.InvalidConfiguration as error:
        # An error of the whole file has no path in the document, so the name of the file takes its place.
        errors = [(where or str(path), reason) for where, reason in error.errors]
        raise configuration.InvalidConfiguration(errors) from None


@command(projects, "configure")
def configure_project(
    project_id: ProjectId,
    file: Annotated[
        Path, typer.Argument(metavar="FILE.yaml", help="The complete configuration; - for standard input.")
    ],
) -> CommandResult:
    """Replace the complete configuration. Calls that are analyzed already keep their results."""
    from callscope.pipeline.decisions.review_edits import follow_settings
    from callscope.projects import services

    project = services.find_project(project_id)
    document = read_document(file)
    with follow_settings(project):
        changed = services.configure_project(project, document)
    document = {"id": project.pk, "config_version": project.config_version, "changed": changed}
    text = f"Project {project.pk} has configuration version {project.config_version}" + (
        "." if changed else "; nothing changed."
    )
    return CommandResult(document, text)


@command(projects, "show")
def show_project(project_id: ProjectId) -> CommandResult:
    """Show a project with its configuration, in the format that `project configure` reads."""
    from callscope.calls.moments import utc_text
    from callscope.projects import configuration, services

    project = services.find_project(project_id)
    shares = [
        {"email": share.user.email, "role": share.role}
        for share in project.shares.select_related("user").order_by("user__email")
    ]
    document = {
        "id": project.pk,
        "name": project.name,
        "type": project.type,
        "owner": project.owner.email,
        "team": project.team_id,
        "shares": shares,
        "config_version": project.config_version,
        "created_at": utc_text(project.created_at),
        "config": project.configuration.as_document(),
    }
    heading = [
        f"# {key}: {'none' if document[key] is None else document[key]}"
        for key in ("id", "name", "type", "owner", "team", "config_version")
    ]
    heading += [f"# shared with {share['email']} as {share['role']}" for share in shares]
    return CommandResult(
        document, "\n".join([*heading, configuration.to_yaml(project.configuration).rstrip()])
    )


@command(projects, "share")
def share_project(
    project_id: ProjectId,
    email: Annotated[str, typer.Argument(metavar="EMAIL")],
    role: Annotated[
        Literal["viewer", "editor"],
        typer.Option("--role", metavar="viewer|editor", help="What the user may do."),
    ] = "viewer",
) -> CommandResult:
    """Share a project with a user as viewer or editor; sharing again changes the role."""
    from callscope.accounts.services import find_user
    from callscope.projects import services

    project, user = services.find_project(project_id), find_user(email)
    services.share_project(project, user, role)
    return CommandResult(
        {"id": project.pk, "email": user.email, "role": role}, f"{user.email} is {role} of {project.name}."
    )


@command(projects, "transfer")
def transfer_project(
    project_id: ProjectId, email: Annotated[str, typer.Argument(metavar="EMAIL")]
) -> CommandResult:
    """Make a user the owner of a project; the former owner keeps access as an editor."""
    from callscope.accounts.services import find_user
    from callscope.pipeline.decisions import ownership
    from callscope.projects import services

    project, heir = services.find_project(project_id), find_user(email)
    former = project.owner.email
    ownership.transfer_project(project.pk, heir)
    return CommandResult(
        {"id": project.pk, "owner": heir.email, "former": former},
        f"{heir.email} owns {project.name}; {former} is an editor.",
    )


@command(projects, "unshare")
def unshare_project(
    project_id: ProjectId, email: Annotated[str, typer.Argument(metavar="EMAIL")]
) -> CommandResult:
    """Stop sharing a project with a user."""
    from callscope.accounts.services import find_user
    from callscope.projects import services

    project, user = services.find_project(project_id), find_user(email)
    services.unshare_project(project, user)
    return CommandResult(
        {"id": project.pk, "email": user.email}, f"{user.email} no longer shares {project.name}."
    )
