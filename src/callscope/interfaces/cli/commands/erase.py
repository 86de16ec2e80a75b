"""`callscope erase`: erase a call, a caller, an agent, a project or a user, and print a receipt."""

from typing import TYPE_CHECKING, Annotated

import typer

from callscope.interfaces.cli.runtime.errors import Failure
from callscope.interfaces.cli.runtime.result import CommandResult, command

if TYPE_CHECKING:
    from callscope.pipeline.erasure.receipt import Receipt


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    command(app, "erase")(erase)


def erase(
    caller_number: Annotated[
        str | None,
        typer.Option(metavar="N", help="All calls of this caller, in all projects or in --project."),
    ] = None,
    call: Annotated[
        int | None, typer.Option(metavar="ID", min=1, help="One call with all its files.")
    ] = None,
    agent: Annotated[
        str | None, typer.Option(metavar="ID", help="All calls of this agent_id in --project.")
    ] = None,
    project: Annotated[
        int | None, typer.Option(metavar="ID", min=1, help="On its own: the whole project.")
    ] = None,
    user: Annotated[
        str | None, typer.Option(metavar="EMAIL", help="A user, with keys, sessions, shares and name.")
    ] = None,
    move_projects_to: Annotated[
        str | None,
        typer.Option(metavar="EMAIL", help="With --user: who gets the projects that the user owns."),
    ] = None,
    erase_projects: Annotated[
        bool, typer.Option("--erase-projects", help="With --user: erase the projects that the user owns.")
    ] = False,
) -> CommandResult:
    """Erase calls or a user everywhere, at once and for good, and print a receipt that names nobody.

    Backups made before still hold them until they are deleted; the receipt lists them.
    """
    if user is not None:
        if any(value is not None for value in (caller_number, call, agent, project)):
            raise typer.BadParameter(
                "--user takes no other option than --move-projects-to or --erase-projects."
            )
        if move_projects_to is not None and erase_projects:
            raise typer.BadParameter("choose --move-projects-to or --erase-projects.")
        receipt = _erase_user(user, move_projects_to, erase_projects)
    elif move_projects_to is not None or erase_projects:
        raise typer.BadParameter(
            "--move-projects-to and --erase-projects need the --user whose projects are meant."
        )
    else:
        _check_choice(caller_number, call, agent, project)
        receipt = _erase(caller_number, call, agent, project)
    return CommandResult(receipt.to_json(), describe_receipt(receipt))


def _check_choice(
    caller_number: str | None, call: int | None, agent: str | None, project: int | None
) -> None:
    """Raise BadParameter unless the options name one thing."""
    given = sum(value is not None for value in (caller_number, call, agent))
    if given > 1 or (call is not None and project is not None):
        raise typer.BadParameter("choose --caller-number, --call or --agent; --call takes no --project.")
    if not given and project is None:
        raise typer.BadParameter(
            "name a --caller-number, a --call, an --agent with its --project, a --project, or a --user."
        )
    if agent is not None and project is None:
        raise typer.BadParameter("--agent needs the --project whose calls are meant.")
    # A script with an empty variable must not erase more than it means.
    if any(value is not None and not value.strip() for value in (caller_number, agent)):
        raise typer.BadParameter("the value must not be blank.")


def _erase(caller_number: str | None, call: int | None, agent: str | None, project: int | None) -> "Receipt":
    from callscope.calls.models import Call
    from callscope.pipeline.erasure import removal, selection
    from callscope.projects.services import find_project

    if call is not None:
        row = Call.objects.filter(pk=call).first()
        if row is None:
            raise Failure(f"There is no call {call}.")
        return removal.erase_call(row)
    found = None if project is None else find_project(project)
    if caller_number is not None:
        receipt = removal.erase_caller(caller_number, project)
        if not receipt.audit_events:
            raise Failure("No call has this caller number.")
        return receipt
    if found is None:
        raise AssertionError("checked before")
    if agent is None:
        return removal.delete_project(found)
    person = selection.find_agent(found, agent)
    if person is None:
        raise Failure(f"Project {found.pk} has no agent with this agent_id.")
    return removal.erase_agent(found, person)


def _erase_user(email: str, heir: str | None, erase_projects: bool) -> "Receipt":
    from callscope.accounts.services import InvalidAccount, find_user
    from callscope.pipeline.erasure.users import InvalidHeir, OwnsProjects, erase_user

    try:
        taker = None if heir is None else find_user(heir)
        return erase_user(find_user(email), move_projects_to=taker, erase_projects=erase_projects)
    except (InvalidAccount, InvalidHeir, OwnsProjects) as error:
        raise Failure(str(error)) from None


def describe_receipt(receipt: "Receipt") -> str:
    """Return what the receipt says, for people."""
    document = receipt.to_json()
    erased = {name: number for name, number in document["erased"].items() if number}
    counted = ", ".join(f"{number} {name.replace('_', ' ')}" for name, number in erased.items())
    lines = [f"Erased: {counted or 'nothing'}."]
    if receipt.audit_events:
        numbers = ", ".join(map(str, receipt.audit_events))
        lines.append(f"At {receipt.at}, audit event {numbers}, chain hash {receipt.chain_hash}.")
    for backup in document["backups"]:
        end = f"until {backup['kept_until']}" if backup["kept_until"] else "until you delete it"
        lines.append(f"The backup of {backup['at']} ({backup['name'] or 'no name'}) still holds it {end}.")
    if not receipt.is_cleaned:
        lines.append("The database is being read: a worker removes the last traces from its files.")
    return "\n".join(lines)
