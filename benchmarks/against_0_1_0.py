"""This version against an earlier one: the same questions to both, and the worst difference of
their answers.

    python -m benchmarks.against_0_1_0 [COMMIT]     default: a version with JAX, whose
    answers are those of 0.1.0 and whose stated errors are the corrected ones

The earlier version is checked out beside this one (``git worktree``) and runs in its own process.
Two answers agree if they differ by no more than 10⁻⁶ or the sum of both stated errors. Deliberate
changes are listed in ``CHANGES``.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
EARLIER = "d43ba50"
QUESTIONS: list[tuple[str, str, float, float]] = [
    ("gaussian", "sign", 3.0, 0.3),
    ("gaussian", "sign", 3.0, 0.6),
    ("gaussian", "sign", 3.0, 1.5),
    ("gaussian", "sign", 3.0, 2.7),
    ("gaussian", "sign", 100.0, 0.5),
    ("gaussian", "sign", 300.0, 3.0),
    ("gaussian:2", "probit:0.1", 3.0, 0.6),
    ("gaussian", "flip:0.05", 3.0, 0.6),
    ("gaussian", "logistic:3", 3.0, 0.6),
    ("gaussian", "linear:0.1", 3.0, 0.6),
    ("gaussian", "probit:0.1", 50.0, 5.0),
    ("rademacher", "sign", 3.0, 0.6),
    ("rademacher", "flip:0.05", 3.0, 0.6),
    ("rademacher", "linear:0.1", 3.0, 0.6),
    ("gauss-bernoulli", "sign", 3.0, 0.6),
    ("gauss-bernoulli", "probit:0.1", 3.0, 0.6),
    ("gauss-bernoulli", "linear:0.1", 3.0, 0.6),
    ("laplace", "sign", 3.0, 0.6),
    ("laplace", "linear:0.1", 3.0, 0.6),
]
CHANGES = {
    ("laplace", "sign"): "the upper end is known exactly (condensed); it was unresolved",
}
ASK = """
import json, sys
from gardner import GardnerError, bounds
from gardner.model import GLM, parse_channel, parse_prior
for prior, channel, alpha, budget in json.loads(sys.argv[1]):
    model, answer = GLM(parse_prior(prior), parse_channel(channel)), {}
    try:
        found = bounds(model, pool_ratio=alpha, budget=budget)
        for name, point in (("min", found.minimum.point), ("typical", found.typical), ("max", found.maximum.point)):
            if point is not None:
                errors = (point.quadrature_error, getattr(point, "accuracy_error", 0.0))
                answer[name] = [float(x) for x in (point.log_volume, point.accuracy, *errors)]
        answer["status"] = [found.minimum.status.value, found.maximum.status.value]
    except GardnerError as error:
        answer["refused"] = str(error)
    print(json.dumps(answer), flush=True)
"""


def answers(source: Path) -> list[dict[str, Any]]:
    """What a version says."""
    command = [sys.executable, "-c", ASK, json.dumps(QUESTIONS)]
    environment = os.environ | {"PYTHONPATH": str(source / "src")}
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)  # noqa: S603
    return [json.loads(line) for line in result.stdout.splitlines()]


def earlier(commit: str) -> list[dict[str, Any]]:
    """What the earlier version says."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "earlier"
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "--detach", str(place), commit], check=True, capture_output=True)  # noqa: S603
        try:
            return answers(place)
        finally:
            subprocess.run([*git, "remove", "--force", str(place)], check=True, capture_output=True)  # noqa: S603


def main() -> None:
    """Print a line a question and the worst of all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commit", nargs="?", default=EARLIER)
    commit = parser.parse_args().commit
    worst, where = 0.0, "none"
    for question, now, before in zip(QUESTIONS, answers(ROOT), earlier(commit), strict=True):
        told = []
        for name in ("min", "typical", "max"):
            if name not in now or name not in before:
                told.append(f"{name}: {'now' if name in now else 'before' if name in before else 'neither'} only")
                continue
            for what, index in (("ln v", 0), ("accuracy", 1)):
                apart = abs(now[name][index] - before[name][index])
                allowed = max(1e-6, now[name][2 + index] + before[name][2 + index])
                told.append(
                    f"{name} {what} {apart:.1e} (errors {now[name][2 + index]:.0e} + {before[name][2 + index]:.0e})"
                )
                if apart / allowed > worst and question[:2] not in CHANGES:
                    worst, where = apart / allowed, f"{question} {name} {what}"
        print(*question, now.get("status"), before.get("status"), "; ".join(told), sep=" | ")
        if question[:2] in CHANGES:
            print("   deliberate:", CHANGES[(question[0], question[1])])
    print(f"worst difference, in units of what is allowed: {worst:.2g} ({where})")


if __name__ == "__main__":
    main()
