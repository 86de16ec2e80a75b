"""`callscope doctor`: check what Callscope needs, and say how to fix problems."""

from collections.abc import Generator

import typer

from callscope.interfaces.cli.runtime.result import CommandResult, command


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    command(app, "doctor", database=False)(doctor)


def doctor() -> Generator[str, None, CommandResult]:
    """Check database, storage, engines, queue and secret key, and say how to fix problems."""
    from callscope.pipeline.operation import health_checks

    results = []
    for result in health_checks.run_all_checks():
        results.append(result)
        mark = "ok     " if result.is_ok else "warning" if result.is_warning else "FAILED "
        yield f"{mark}  {result.name}: {result.detail}"
        if result.advice:
            yield f"         → {result.advice}"
    is_ok = all(result.is_ok or result.is_warning for result in results)
    document = {
        "ok": is_ok,
        "checks": [
            {"name": r.name, "ok": r.is_ok, "warning": r.is_warning, "detail": r.detail, "advice": r.advice}
            for r in results
        ],
    }
    return CommandResult(document, "", exit_status=0 if is_ok else 1)
