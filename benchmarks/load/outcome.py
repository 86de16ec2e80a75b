"""What one run found: a ratio against its goal, and everything that must not happen."""

import re
from collections import Counter
from dataclasses import dataclass, field

from answers import Tally, percentile

LEAST_QUIET_S = 0.010  # a p95 below this is the noise of the clock and the scheduler


@dataclass(slots=True)
class Outcome:
    name: str
    most: float  # the largest ratio that passes
    ratio: float = 0.0
    details: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @property
    def has_passed(self) -> bool:
        return not self.problems and self.ratio <= self.most

    def compare(self, disturbed: Tally, quiet: Tally) -> None:
        """Set the ratio of the readers' p95 to that of the quiet of the same run."""
        ours, theirs = (percentile(tally.durations_s("read"), 0.95) for tally in (disturbed, quiet))
        self.ratio = ours / max(theirs, LEAST_QUIET_S)
        self.details.append(f"readers' p95 {ours * 1000:.0f} ms, quiet {theirs * 1000:.0f} ms")
        self.check_reads(disturbed)
        if not ours or not theirs:
            self.problems.append("nobody read")

    def check_answers(self, *tallies: Tally) -> None:
        """Note every answer of 500 and every connection that ended without an answer."""
        mistakes = [mistake for tally in tallies for mistake in tally.mistakes()]
        if mistakes:
            shown = ", ".join(f"{name} {status or 'without an answer'}" for name, status in mistakes[:5])
            self.problems.append(f"{len(mistakes)} dishonest answers: {shown}")

    def check_reads(self, tally: Tally, *, may_be_refused: str = "") -> None:
        """Note the addresses that were not shown, but for those that match and got the honest 503."""
        reads = [(name.removeprefix("read "), answer) for name, answer in tally.answers if name[:4] == "read"]
        refused = Counter(
            (path, answer.status)
            for path, answer in reads
            if answer.status != 200
            and not (answer.status == 503 and answer.is_honest and re.fullmatch(may_be_refused, path))
        )
        if refused:
            shown = ", ".join(f"{path} {status} {n} times" for (path, status), n in refused.most_common(5))
            self.problems.append(f"readers were refused: {shown}")

    def check_kept(self, acknowledged: int, lost: int) -> None:
        """Note what was acknowledged and is not there, or is not transcribed."""
        self.details.append(f"{acknowledged} uploads acknowledged, {lost} lost")
        if lost:
            self.problems.append(f"{lost} of {acknowledged} acknowledged uploads are lost or not transcribed")
        if not acknowledged:
            self.problems.append("no upload was acknowledged")

    def format_row(self) -> str:
        verdict = "pass" if self.has_passed else "FAIL"
        shown = "; ".join([*self.details, *(f"PROBLEM: {problem}" for problem in self.problems)])
        return f"{verdict}  {self.name:16} ratio {self.ratio:5.2f} (at most {self.most:g})  {shown}"


def join_tallies(*tallies: Tally) -> Tally:
    joined = Tally()
    for tally in tallies:
        joined.answers += tally.answers
    return joined
