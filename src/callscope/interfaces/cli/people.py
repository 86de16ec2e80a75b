"""`callscope user`, `callscope team` and `callscope key`."""

import datetime
import sys
from decimal import Decimal, InvalidOperation
from typing import Annotated, Any

import typer

from callscope.interfaces.cli import options
from callscope.interfaces.cli.answers import Answer, command

users = typer.Typer(help="Users: create, deactivate, limit.", no_args_is_help=True)
teams = typer.Typer(help="Teams and their members.", no_args_is_help=True)
keys = typer.Typer(help="API keys: create, revoke, list.", no_args_is_help=True)

LONGEST_NUMBER = 20  # characters; more is no number of minutes
Email = Annotated[str, typer.Argument(metavar="EMAIL", help="The user's e-mail.")]
TeamId = Annotated[int, typer.Argument(metavar="TEAM_ID", help="The team's id.")]


def register(app: typer.Typer) -> None:
    app.add_typer(users, name="user")
    app.add_typer(teams, name="team")
    app.add_typer(keys, name="key")


@command(users, "create")
def create_user(
    email: Email,
    password_stdin: Annotated[bool, typer.Option(help="Read the password from stdin, one line.")] = False,
    superuser: Annotated[bool, typer.Option(help="Make an operator; no wider view of calls.")] = False,
) -> Answer:
    """Create a user. Asks for a password on a terminal; without one only API keys open the door."""
    from callscope.accounts import administration

    password = _password_from_stdin() if password_stdin else _password_from_terminal()
    user = administration.create_user(email, password, superuser=superuser)
    kind = "user" if password else "user without a password"
    return Answer({"id": user.pk, "email": user.email}, f"Created {kind} {user.pk}: {user.email}.")


def _password_from_stdin() -> str:
    password = sys.stdin.buffer.readline().decode("utf-8", "replace").rstrip("\r\n")
    for weakness in _weaknesses(password) if password else []:
        print(f"Warning: {weakness}", file=sys.stderr)
    return password


def _password_from_terminal() -> str | None:
    """Ask until the password is good enough; empty, or no terminal to ask on: no password."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None
    while True:
        password: str = typer.prompt(
            "Password (empty: none)", hide_input=True, default="", show_default=False, err=True
        )
        if not password:
            return None
        weaknesses = _weaknesses(password)
        if not weaknesses and typer.prompt("Again", hide_input=True, err=True) == password:
            return password
        for problem in weaknesses or ["The two passwords differ."]:
            print(problem, file=sys.stderr)


def _weaknesses(password: str) -> list[str]:
    from django.contrib.auth.password_validation import validate_password
    from django.core.exceptions import ValidationError

    try:
        validate_password(password)
    except ValidationError as error:
        return list(error.messages)
    return []


@command(users, "deactivate")
def deactivate_user(email: Email) -> Answer:
    """Lock a user out: sessions and keys stop at once; what the user owns stays."""
    return _set_active(email, active=False)


@command(users, "activate")
def activate_user(email: Email) -> Answer:
    """Let a deactivated user in again."""
    return _set_active(email, active=True)


def _set_active(email: str, *, active: bool) -> Answer:
    from callscope.accounts import administration

    user = administration.find_user(email)
    administration.set_active(user, active)
    return Answer({"id": user.pk}, f"{user.email} is {'active' if active else 'deactivated'}.")


@command(users, "quota")
def set_quota(
    email: Email,
    minutes: Annotated[str, typer.Argument(metavar="MINUTES|none", help="Minutes of audio in all.")],
) -> Answer:
    """Set a trial quota in minutes of audio; `none` lifts it. A transcript counts its duration."""
    from callscope.accounts import administration

    quota = None if minutes.strip().lower() == "none" else _minutes(minutes)
    user = administration.find_user(email)
    try:
        administration.set_quota(user, quota)
    except administration.WrongAccount as error:
        raise typer.BadParameter(str(error)) from None
    text = "no quota" if quota is None else f"a quota of {quota:f} minutes"
    return Answer({"id": user.pk}, f"{user.email} has {text}.")


def _minutes(text: str) -> Decimal:
    try:
        minutes = Decimal(text.strip()) if len(text) <= LONGEST_NUMBER else Decimal("nan")
    except InvalidOperation:
        minutes = Decimal("nan")
    if not minutes.is_finite():
        shown = text[: options.LONGEST_SHOWN]
        raise typer.BadParameter(f'"{shown}" is not a quota. Allowed: a number of minutes, or none.')
    return minutes


@command(teams, "create")
def create_team(
    name: Annotated[str, typer.Argument(metavar="NAME")],
    admin: Annotated[str, typer.Option("--admin", metavar="EMAIL", help="The first admin.")],
) -> Answer:
    """Create a team with its first admin, who sees every project of the team."""
    from callscope.accounts import administration

    team = administration.create_team(name, admin=administration.find_user(admin))
    return Answer({"id": team.pk}, f"Created team {team.pk}: {team.name}.")


@command(teams, "add")
def add_member(
    team_id: TeamId,
    email: Email,
    admin: Annotated[
        bool, typer.Option("--admin", help="As an admin, who sees all projects of the team.")
    ] = False,
) -> Answer:
    """Add a member to a team, or make a member an admin."""
    from callscope.accounts import administration

    team, user = administration.find_team(team_id), administration.find_user(email)
    member = administration.add_member(team, user, admin=admin)
    return Answer(
        {"id": team.pk}, f"{user.email} is {'an admin' if member.is_admin else 'a member'} of {team.name}."
    )


@command(teams, "remove")
def remove_member(team_id: TeamId, email: Email) -> Answer:
    """Take a member out of a team."""
    from callscope.accounts import administration

    team, user = administration.find_team(team_id), administration.find_user(email)
    administration.remove_member(team, user)
    return Answer({"id": team.pk}, f"{user.email} is no longer in {team.name}.")


@command(keys, "create")
def create_key(
    email: Email,
    name: Annotated[str, typer.Option("--name", metavar="N", help="What the key is for.")] = "",
    expires: Annotated[
        datetime.date | None,
        typer.Option(
            "--expires",
            metavar="DATE",
            help="Last day on which it is good, YYYY-MM-DD.",
            parser=options.day,
        ),
    ] = None,
) -> Answer:
    """Create an API key that acts as the user. The key is shown this once and stored nowhere."""
    from callscope.accounts import administration

    user = administration.find_user(email)
    expires_at = None if expires is None else _end_of_day(expires)
    key, plaintext = administration.create_key(user, name=name, expires_at=expires_at)
    text = f"{plaintext}\nShown this once. Send it as: Authorization: Api-Key {plaintext}"
    return Answer({"prefix": key.prefix, "key": plaintext}, text)


def _end_of_day(date: datetime.date) -> datetime.datetime:
    """Return the last moment of the day in the server's time zone."""
    from django.utils import timezone

    if date.year > datetime.MAXYEAR - 1:
        raise typer.BadParameter(f"--expires is {date}. Allowed: a date before the year {datetime.MAXYEAR}.")
    return datetime.datetime.combine(date, datetime.time.max, tzinfo=timezone.get_default_timezone())


@command(keys, "revoke")
def revoke_key(
    prefix: Annotated[str, typer.Argument(metavar="PREFIX", help="What stands before the dot.")],
) -> Answer:
    """Revoke a key for ever."""
    from callscope.accounts import administration

    key = administration.revoke_key(prefix.partition(".")[0])
    return Answer({"prefix": key.prefix, "revoked": True}, f"Revoked key {key.prefix} of {key.user.email}.")


@command(keys, "list")
def list_keys(
    email: Annotated[str | None, typer.Argument(metavar="[EMAIL]", help="Only of this user.")] = None,
) -> Answer:
    """List keys, oldest first; their secret halves are known to nobody."""
    from callscope.accounts import administration
    from callscope.reports.call_table import utc_text

    user = None if email is None else administration.find_user(email)
    rows: list[dict[str, Any]] = [
        {
            "prefix": key.prefix,
            "name": key.name,
            "email": key.user.email,
            "created_at": utc_text(key.created),
            "expires_at": utc_text(key.expiry_date) if key.expiry_date else None,
            "revoked": key.revoked,
        }
        for key in administration.list_keys(user)
    ]
    lines = []
    for row in rows:
        validity = "revoked" if row["revoked"] else row["expires_at"] or "never expires"
        lines.append(f"{row['prefix']}  {row['email']}  {row['name']}  {validity}")
    return Answer({"keys": rows}, "\n".join(lines) or "No keys.")
