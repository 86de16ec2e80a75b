"""`callscope user`, `callscope team` and `callscope key`."""

import datetime
import sys
from decimal import Decimal, InvalidOperation
from typing import Annotated

import typer

from callscope.interfaces.cli.runtime.command_line import build_group
from callscope.interfaces.cli.runtime.errors import MAX_SHOWN, Failure
from callscope.interfaces.cli.runtime.result import CommandResult, command, parse_day

users = build_group("Create, deactivate and limit users.")
teams = build_group("Manage teams and their members.")
keys = build_group("Create, revoke and list API keys.")

OWN_ADDRESS = "http://127.0.0.1:8000"  # where `callscope serve` listens by default
MAX_NUMBER_LENGTH = 20  # characters; a longer text is not a number of minutes
Email = Annotated[str, typer.Argument(metavar="EMAIL", help="The user's e-mail.")]
TeamId = Annotated[int, typer.Argument(metavar="TEAM_ID", help="The team's id.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.add_typer(users, name="user")
    app.add_typer(teams, name="team")
    app.add_typer(keys, name="key")


@command(users, "create")
def create_user(
    email: Email,
    password_stdin: Annotated[
        bool, typer.Option(help="Read the password from the first line of stdin.")
    ] = False,
    weak: Annotated[bool, typer.Option("--weak", help="Take a weak password from stdin.")] = False,
    superuser: Annotated[
        bool, typer.Option(help="Create an operator. Operators see no more calls than other users.")
    ] = False,
) -> CommandResult:
    """Create a user. A terminal asks for a password; without one, only API keys give access."""
    from callscope.accounts import services

    password = _read_password(from_stdin=password_stdin, may_be_weak=weak)
    user = services.create_user(email, password, superuser=superuser)
    kind = "user" if password else "user without a password"
    return CommandResult({"id": user.pk, "email": user.email}, f"Created {kind} {user.pk}: {user.email}.")


def _read_password(*, from_stdin: bool, may_be_weak: bool) -> str | None:
    """Return the password from stdin, or the one that a terminal asks for.

    None without a terminal, and if the answer is empty. Raise Failure for a weak one from stdin.
    """
    if from_stdin:
        password: str = sys.stdin.buffer.readline().decode("utf-8", "replace").rstrip("\r\n")
        weaknesses = _find_weaknesses(password) if password else []
        if weaknesses and not may_be_weak:
            raise Failure(*weaknesses, "Choose a stronger password, or add --weak.")
        return password
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None
    # Prompts go to stderr, because stdout is for the result.
    while True:
        password = typer.prompt(
            "Password (leave empty for none)", hide_input=True, default="", show_default=False, err=True
        )
        if not password:
            return None
        weaknesses = _find_weaknesses(password)
        if not weaknesses and typer.prompt("Repeat password", hide_input=True, err=True) == password:
            return password
        for problem in weaknesses or ["The passwords do not match."]:
            print(problem, file=sys.stderr)


def _find_weaknesses(password: str) -> list[str]:
    from django.contrib.auth.password_validation import validate_password
    from django.core.exceptions import ValidationError

    try:
        validate_password(password)
    except ValidationError as error:
        return list(error.messages)
    return []


@command(users, "invite")
def invite_user(email: Email) -> CommandResult:
    """Print a link that opens once, for two weeks, and lets a person create this account."""
    from django.conf import settings

    from callscope.accounts.mail import build_link
    from callscope.accounts.models import User
    from callscope.calls.moments import utc_text
    from callscope.projects import invitations

    if User.objects.filter(email=email.strip().lower()).exists():
        raise Failure(f'A user with the e-mail "{email[:MAX_SHOWN]}" already exists.')
    invitation, token = invitations.invite(email, "user", creates_account=True)
    has_address = bool(settings.ENVIRONMENT.public_url)
    link = ("" if has_address else OWN_ADDRESS) + build_link("web:invitation-link", token)
    result = {"email": invitation.email, "link": link, "expires_at": utc_text(invitation.expires_at)}
    said = f"{link}\nSend it only to {invitation.email}: it creates the account."
    if not has_address:
        said += (
            f"\n{OWN_ADDRESS} stands for this server, because CALLSCOPE_PUBLIC_URL is not set. "
            "Replace it in the link by the address under which people reach the server, or set it there."
        )
    return CommandResult(result, said)


@command(users, "password")
def set_password(
    email: Email,
    password_stdin: Annotated[
        bool, typer.Option(help="Read the password from the first line of stdin.")
    ] = False,
    weak: Annotated[bool, typer.Option("--weak", help="Take a weak password from stdin.")] = False,
) -> CommandResult:
    """Give a user a new password and sign the user out everywhere; API keys stay valid."""
    from callscope.accounts import services

    user = services.find_user(email)
    password = _read_password(from_stdin=password_stdin, may_be_weak=weak)
    if password is None:
        raise Failure("No password was given. Use a terminal, or --password-stdin.")
    services.set_password(user, password)
    return CommandResult({"id": user.pk}, f"{user.email} has a new password and is signed out everywhere.")


@command(users, "email")
def change_email(
    former: Annotated[str, typer.Argument(metavar="OLD", help="The user's e-mail.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The e-mail from now on.")],
) -> CommandResult:
    """Change the e-mail of a user and sign the user out everywhere; API keys stay valid."""
    from callscope.accounts import mail, services
    from callscope.pipeline.decisions.email_changes import change_email

    user = services.find_user(former)
    before = user.email
    is_changed = change_email(user, new)
    mail.wait_until_sent()
    text = f"{before} is now {user.email}." if is_changed else f"{before} has this e-mail already."
    return CommandResult({"id": user.pk, "email": user.email, "changed": is_changed}, text)


@command(users, "sign-out")
def sign_out(email: Email) -> CommandResult:
    """End all sessions of a user; API keys stay valid."""
    from callscope.accounts import services

    user = services.find_user(email)
    ended = services.end_sessions(user)
    sessions = "1 session" if ended == 1 else f"{ended} sessions"
    return CommandResult({"id": user.pk, "sessions": ended}, f"Ended {sessions} of {user.email}.")


@command(users, "reset-totp")
def reset_totp(email: Email) -> CommandResult:
    """Remove the second factor and the recovery codes of a user who has lost them."""
    from callscope.accounts import second_factor, services

    user = services.find_user(email)
    is_removed = second_factor.remove(user)
    text = (
        f"{user.email} signs in with the password alone."
        if is_removed
        else f"{user.email} had no second factor."
    )
    return CommandResult({"id": user.pk, "removed": is_removed}, text)


@command(users, "deactivate")
def deactivate_user(email: Email) -> CommandResult:
    """Deactivate a user: sessions and keys stop working at once, and what the user owns is kept."""
    return _set_active(email, active=False)


@command(users, "activate")
def activate_user(email: Email) -> CommandResult:
    """Activate a deactivated user."""
    return _set_active(email, active=True)


def _set_active(email: str, *, active: bool) -> CommandResult:
    from callscope.accounts import services

    user = services.find_user(email)
    services.set_user_active(user, active)
    return CommandResult({"id": user.pk}, f"{user.email} is {'active' if active else 'deactivated'}.")


@command(users, "quota")
def set_quota(
    email: Email,
    minutes: Annotated[str, typer.Argument(metavar="MINUTES|none", help="Total minutes of audio.")],
) -> CommandResult:
    """Set a trial quota in minutes of audio; `none` removes it. A transcript counts with its duration."""
    from callscope.accounts import services

    quota = None
    if minutes.strip().lower() != "none":
        try:
            quota = Decimal(minutes.strip()) if len(minutes) <= MAX_NUMBER_LENGTH else Decimal("nan")
        except InvalidOperation:
            quota = Decimal("nan")
        if not quota.is_finite():
            shown = minutes[:MAX_SHOWN]
            raise typer.BadParameter(f'"{shown}" is not a quota. Allowed: a number of minutes, or none.')
    user = services.find_user(email)
    try:
        services.set_trial_quota(user, quota)
    except services.InvalidAccount as error:
        raise typer.BadParameter(str(error)) from None
    text = "no quota" if quota is None else f"a quota of {quota:f} minutes"
    return CommandResult({"id": user.pk}, f"{user.email} has {text}.")


@command(teams, "create")
def create_team(
    name: Annotated[str, typer.Argument(metavar="NAME")],
    admin: Annotated[str, typer.Option("--admin", metavar="EMAIL", help="The e-mail of the first admin.")],
) -> CommandResult:
    """Create a team with its first admin, who sees all projects of the team."""
    from callscope.accounts import services

    team = services.create_team(name, admin=services.find_user(admin))
    return CommandResult({"id": team.pk}, f"Created team {team.pk}: {team.name}.")


@command(teams, "add")
def add_member(
    team_id: TeamId,
    email: Email,
    admin: Annotated[
        bool, typer.Option("--admin", help="Add as an admin, who sees all projects of the team.")
    ] = False,
) -> CommandResult:
    """Add a member to a team, or make a member an admin."""
    from callscope.accounts import services

    team, user = services.find_team(team_id), services.find_user(email)
    member = services.add_team_member(team, user, admin=admin)
    return CommandResult(
        {"id": team.pk}, f"{user.email} is {'an admin' if member.is_admin else 'a member'} of {team.name}."
    )


@command(teams, "remove")
def remove_member(team_id: TeamId, email: Email) -> CommandResult:
    """Remove a member from a team."""
    from callscope.accounts import services

    team, user = services.find_team(team_id), services.find_user(email)
    services.remove_team_member(team, user)
    return CommandResult({"id": team.pk}, f"{user.email} is no longer a member of {team.name}.")


@command(keys, "create")
def create_key(
    email: Email,
    name: Annotated[str, typer.Option("--name", metavar="N", help="What the key is for.")] = "",
    expires: Annotated[
        datetime.date | None,
        typer.Option(
            "--expires",
            metavar="DATE",
            help="Last day on which it is valid, YYYY-MM-DD.",
            parser=parse_day,
        ),
    ] = None,
    scope: Annotated[
        str, typer.Option("--scope", metavar="read|write", help="What it may do: only read, or everything.")
    ] = "write",
    project_id: Annotated[
        int | None, typer.Option("--project", metavar="ID", help="The only project that it can access.")
    ] = None,
) -> CommandResult:
    """Create an API key that acts as the user. It is shown only once."""
    from django.utils import timezone

    from callscope.accounts import services
    from callscope.projects.permissions import get_role
    from callscope.projects.services import find_project

    user = services.find_user(email)
    if project_id is not None and get_role(user, find_project(project_id)) is None:
        raise Failure(
            f"{user.email} cannot see project {project_id}, so the key would give access to nothing."
        )
    expires_at = None
    if expires is not None:
        if expires.year == datetime.MAXYEAR:  # its last day overflows in some time zones
            raise typer.BadParameter(
                f"--expires is {expires}. Allowed: a date before the year {datetime.MAXYEAR}."
            )
        zone = timezone.get_default_timezone()
        expires_at = datetime.datetime.combine(expires, datetime.time.max, tzinfo=zone)
    key, plaintext = services.create_key(
        user, name=name, expires_at=expires_at, scope=scope, project_id=project_id
    )
    text = f"{plaintext}\nIt is shown only once. Send it as: Authorization: Api-Key {plaintext}"
    return CommandResult({"prefix": key.prefix, "key": plaintext}, text)


@command(keys, "revoke")
def revoke_key(
    prefix: Annotated[str, typer.Argument(metavar="PREFIX", help="The part of the key before the dot.")],
) -> CommandResult:
    """Revoke a key permanently."""
    from callscope.accounts import services

    key = services.revoke_key(prefix.partition(".")[0])
    return CommandResult(
        {"prefix": key.prefix, "revoked": True}, f"Revoked key {key.prefix} of {key.user.email}."
    )


@command(keys, "list")
def list_keys(
    email: Annotated[
        str | None, typer.Argument(metavar="[EMAIL]", help="Only the keys of this user.")
    ] = None,
) -> CommandResult:
    """List keys, oldest first. Their secret parts are not stored."""
    from callscope.accounts import services
    from callscope.calls.moments import utc_text

    user = None if email is None else services.find_user(email)
    rows = [
        {
            "prefix": key.prefix,
            "name": key.name,
            "email": key.user.email,
            "created_at": utc_text(key.created),
            "expires_at": utc_text(key.expiry_date) if key.expiry_date else None,
            "scope": key.scope,
            "project": key.project_id,
            "used_at": utc_text(key.used_at) if key.used_at else None,
            "revoked": key.revoked,
        }
        for key in services.list_keys(user)
    ]
    lines = []
    for row in rows:
        validity = "revoked" if row["revoked"] else row["expires_at"] or "never expires"
        projects = f"project {row['project']}" if row["project"] else "all projects"
        used = f"used {row['used_at']}" if row["used_at"] else "never used"
        lines.append(
            f"{row['prefix']}  {row['email']}  {row['name']}  {row['scope']}  {projects}  {validity}  {used}"
        )
    return CommandResult({"keys": rows}, "\n".join(lines) or "No keys.")
