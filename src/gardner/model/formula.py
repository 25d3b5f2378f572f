"""What priors and channels have in common: a log-partition function ψ, and shortcuts that hold for that ψ only."""

from __future__ import annotations

from typing import Any, NamedTuple

_FORMULA = frozenset({"log_partition", "derivatives", "moments"})
_SHORTCUTS = (
    "compiled",
    "expansion",
    "gaussian",
    "linear_noise",
    "log_concave",
    "noise_in_front",
    "scale_free",
    "slopes",
)


class Compiled(NamedTuple):
    """Compiled functions by their name in :mod:`gardner.inference.noisy_scalars`, and the one parameter they take."""

    name: str
    parameter: float = 0.0


class Formula:
    """A prior or a channel.

    Closed forms, compiled functions and the like are shortcuts: they hold for one ψ. A class that
    derives from a prior or channel and writes another ψ inherits none of them; it starts from the
    defaults of ``Prior`` or ``Channel`` again.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        """Take back the shortcuts of another formula."""
        super().__init_subclass__(**options)
        if _FORMULA.isdisjoint(vars(cls)):
            return
        for name in _SHORTCUTS:
            homes = [base for base in cls.__mro__ if name in vars(base)]
            if homes and homes[0] is not cls and _has_formula(homes[0]):
                setattr(cls, name, vars(homes[-1])[name])

    @property
    def compiled(self) -> Compiled | None:
        """Functions of ψ compiled for fast message passing, if there are any."""
        return None


def _has_formula(kind: type) -> bool:
    """Whether a class has a ψ: ``Prior`` and ``Channel`` only ask for one."""
    found = [vars(base)[name] for base in kind.__mro__ for name in _FORMULA if name in vars(base)]
    return any(not getattr(part, "__isabstractmethod__", False) for part in found)
