"""The chart of a forecast."""

from __future__ import annotations

import pandas as pd

from gardner.report.figures import specification
from gardner.report.forecast import forecast_chart


def test_curves_bands_and_what_is_not_known() -> None:
    ends = {"random_low": 0.5, "random_high": 0.9, "agnostic_low": 0.6, "agnostic_high": 0.95}
    curves = {"random": [0.7, 0.8], "agnostic": [0.7, 0.85], "best": [None, 0.9]}
    frame = pd.DataFrame({"labels": [10, 20], **curves, **ends})
    drawn = specification(forecast_chart(frame, 0.9, "pool"))
    rows = [row for data in drawn["datasets"].values() for row in data]
    assert {row["choice"] for row in rows if "choice" in row} == {"random", "agnostic", "best subset"}
    assert [row["labels"] for row in rows if row.get("choice") == "best subset"] == [20.0]
    assert [row["accuracy"] for row in rows if "choice" not in row] == [0.9]
