"""`callscope organization`: the name and logo that pages, share links and PDFs show."""

from pathlib import Path
from typing import Annotated

import typer

from callscope.interfaces.cli.runtime.command_line import build_group
from callscope.interfaces.cli.runtime.errors import Failure
from callscope.interfaces.cli.runtime.result import CommandResult, command

organization = build_group("Show or set the organization's name and logo, as pages and PDFs show them.")


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.add_typer(organization, name="organization")


@command(organization, "show")
def show() -> CommandResult:
    """Show the name, and whether there is a logo."""
    return _describe()


@command(organization, "set")
def change(
    name: Annotated[
        str | None, typer.Option("--name", help='The name, at most 80 characters; "" for none.')
    ] = None,
    logo: Annotated[
        Path | None, typer.Option("--logo", metavar="FILE", help="A PNG or JPEG file of at most 1 MB.")
    ] = None,
    no_logo: Annotated[bool, typer.Option("--no-logo", help="Remove the logo.")] = False,
) -> CommandResult:
    """Set the name, the logo or both; what is left out stays as it is."""
    from callscope.accounts import organization as room

    if name is None and logo is None and not no_logo:
        raise typer.BadParameter("There is nothing to set: give --name, --logo or --no-logo.")
    if logo is not None and no_logo:
        raise typer.BadParameter("--logo and --no-logo cannot be combined.")
    content = _read(logo, most=room.MAX_BYTES) if logo is not None else b""
    if logo is not None:
        room.draw_logo(content)  # a wrong file leaves the name as it was
    if name is not None:
        room.set_name(name)
    if logo is not None or no_logo:
        room.set_logo(content)
    return _describe()


def _read(path: Path, *, most: int) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(most + 1)
    except OSError as error:
        raise Failure(f"{path} cannot be read: {error.strerror}.") from error
    if not content:
        raise Failure(f"{path} is empty. Give a PNG or JPEG file.")
    return content


def _describe() -> CommandResult:
    from callscope.accounts import organization as room

    shown = room.read_shown()
    logo = "with a logo" if shown.logo_digest else "without a logo"
    text = f"{shown.name or 'No name'}, {logo}."
    return CommandResult({"name": shown.name, "has_logo": bool(shown.logo_digest)}, text)
