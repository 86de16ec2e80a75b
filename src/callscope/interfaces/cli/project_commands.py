"""`callscope project`: make, configure, show and share projects."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from callscope.interfaces.cli.answers import Answer, Failure, command

projects = typer.Typer(help="Projects: create, configure, show, share.", no_args_is_help=True)

ProjectId = Annotated[int, typer.Argument(metavar="ID", help="The project's id.")]


def register(app: typer.Typer) -> None:
    app.add_typer(projects, name="project")


@command(projects, "create")
def create_project(
    name: Annotated[str, typer.Argument(metavar="NAME")],
    owner: Annotated[str, typer.Option("--owner", metavar="EMAIL", help="Who owns it.")],
    team: Annotated[int | None, typer.Option("--team", metavar="ID", help="The team it belongs to.")] = None,
    type: Annotated[
        Literal["call", "general"], typer.Option("--type", metavar="call|general", help="What is in it.")
    ] = "call",
    config: Annotated[
        Path | None,
        typer.Option("--config", metavar="FILE.yaml", help="Its configuration; default: all defaults."),
    ] = None,
) -> Answer:
    """Create a project. A wrong configuration is refused whole, with the path and reason of each error."""
    from callscope.accounts.administration import find_team, find_user
    from callscope.projects import administration

    document = read_document(config) if config else None
    project = administration.create_project(
        find_user(owner), name, type, find_team(team) if team is not None else None, document
    )
    return Answer({"id": project.pk}, f"Created project {project.pk}: {project.name}.")


def read_document(path: Path) -> dict[str, Any]:
    """Return the checked document in a YAML or JSON file."""
    from callscope.projects import configuration

    if path.is_dir():
        raise Failure(f"{path} is a folder. Allowed: a YAML or JSON file with a project configuration.")
    with path.open("rb") as file:
        text = file.read(configuration.MAX_DOCUMENT_BYTES + 1)
    try:
        return configuration.parse_yaml(text).as_document()
    except configuration.WrongConfiguration as error:
        # What is wrong with a file as a whole has no path in it: there the file's name tells where.
        errors = [(where or str(path), reason) for where, reason in error.errors]
        raise configuration.WrongConfiguration(errors) from None


@command(projects, "configure")
def configure_project(
    project_id: ProjectId,
    file: Annotated[Path, typer.Argument(metavar="FILE.yaml", help="The whole configuration.")],
) -> Answer:
    """Replace the whole configuration. Calls analysed before keep their results."""
    from callscope.projects import administration

    project = administration.find_project(project_id)
    changed = administration.configure(project, read_document(file))
    document = {"id": project.pk, "config_version": project.config_version, "changed": changed}
    text = f"Project {project.pk} has configuration version {project.config_version}" + (
        "." if changed else " as before; nothing changed."
    )
    return Answer(document, text)


@command(projects, "show")
def show_project(project_id: ProjectId) -> Answer:
    """Show the project with its whole configuration as one document; `project configure` reads it back."""
    from callscope.projects import administration, configuration
    from callscope.reports.call_table import utc_text

    project = administration.find_project(project_id)
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
    return Answer(document, "\n".join([*heading, configuration.to_yaml(project.configuration).rstrip()]))


@command(projects, "share")
def share_project(
    project_id: ProjectId,
    email: Annotated[str, typer.Argument(metavar="EMAIL")],
    role: Annotated[
        Literal["viewer", "editor"],
        typer.Option("--role", metavar="viewer|editor", help="What the user may do."),
    ] = "viewer",
) -> Answer:
    """Let a user in as viewer or editor; a second share changes the role."""
    from callscope.accounts.administration import find_user
    from callscope.projects import administration

    project, user = administration.find_project(project_id), find_user(email)
    administration.share(project, user, role)
    return Answer(
        {"id": project.pk, "email": user.email, "role": role}, f"{user.email} is {role} of {project.name}."
    )


@command(projects, "unshare")
def unshare_project(project_id: ProjectId, email: Annotated[str, typer.Argument(metavar="EMAIL")]) -> Answer:
    """Take a share back."""
    from callscope.accounts.administration import find_user
    from callscope.projects import administration

    project, user = administration.find_project(project_id), find_user(email)
    administration.unshare(project, user)
    return Answer({"id": project.pk, "email": user.email}, f"{user.email} no longer shares {project.name}.")
