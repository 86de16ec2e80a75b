"""Print the rows of several benchmarks as one table: `python table.py FILE`, the file of $BENCH_RESULTS."""

import json
import sys
from pathlib import Path

HEADS = ["what", "calls and database", "ratio", "goal", "", "in the run"]


def main(path: str) -> None:
    rows = [json.loads(text) for text in Path(path).read_text().splitlines()]
    table = [HEADS, ["---"] * len(HEADS), *([what, where, *rest] for where, what, *rest in rows)]
    for cells in table:
        print(f"| {' | '.join(cells)} |")
    missed = sum(row[4].startswith("missed") for row in rows)
    judged = sum(bool(row[4]) for row in rows)
    print(f"\n{judged - missed} of {judged} goals are met.")


if __name__ == "__main__":
    main(sys.argv[1])
