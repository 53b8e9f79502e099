"""Print every benchmark as a table of ratios measured in this one run.

Each `bench_*.py` beside this file offers `rows()`: label, measured value, budget or None. A value is a
ratio against a denominator that the same module measures in the same run, unless the label names a unit.

Touches: files, processes, loopback network.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys

import tests.bench


def main(names: list[str]) -> int:
    """Run the benchmarks named on the command line, or all. Over budget is shown, never fatal."""
    found = sorted(
        info.name for info in pkgutil.iter_modules(tests.bench.__path__) if info.name.startswith("bench_")
    )
    wanted = [name for name in found if not names or name.removeprefix("bench_") in names]
    for name in wanted:
        print(f"\n{name.removeprefix('bench_')}")
        for label, value, budget in importlib.import_module(f"tests.bench.{name}").rows():
            allowed = "" if budget is None else f"budget {budget:g}"
            verdict = "" if budget is None or value <= budget else "  OVER"
            print(f"  {label:<62} {value:>9.2f}  {allowed}{verdict}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
