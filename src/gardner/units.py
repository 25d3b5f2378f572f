"""Units of information: theory and inference count in nats, and tables say bits."""

from __future__ import annotations

import math

LN2 = math.log(2.0)  # nats in a bit
