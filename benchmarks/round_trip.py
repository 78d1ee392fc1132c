"""Reads random tables back from random dialects: `python -m benchmarks.round_trip --cases 5000 --seed 1`.

Each case is made from one number, so that a failure can be made again. Prints the failures with their files' first
lines, and at the end how many cases came back the same in names, types and values. Exit code 1 when any did not.
"""

from __future__ import annotations

import argparse
import sys
import time

from tests.data.files.round_trip import Case, run


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1_000, help="how many tables")
    parser.add_argument("--seed", type=int, default=1, help="the number of the first one")
    parser.add_argument("--lines", type=int, default=4, help="lines of a failing file to show")
    args = parser.parse_args()
    start = time.perf_counter()

    def tell(seed: int, case: Case, wrong: str) -> None:
        print(f"seed {seed}: {wrong}\n  {case.choices}")
        encoding = str(case.choices["encoding"])
        for line in case.content.decode(encoding).splitlines()[: args.lines]:
            print(f"    {line!r}"[:200])

    failures = run(range(args.seed, args.seed + args.cases), tell)
    seconds = time.perf_counter() - start
    print(f"{args.cases - failures} of {args.cases} tables came back the same ({seconds:.0f} s, seed {args.seed}).")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
