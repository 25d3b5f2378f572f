"""What priors and channels have in common: a log-partition function ψ, and what holds for that ψ
only.
"""

from __future__ import annotations

from typing import Any, NamedTuple

_FORMULA = frozenset({"log_partition", "derivatives", "moments"})


class Compiled(NamedTuple):
    """Compiled functions by their name in :mod:`gardner.inference.noisy_scalars`, and the one
    parameter they take.
    """

    name: str
    parameter: float = 0.0


class Formula:
    """A prior or a channel.

    Closed forms, compiled functions and the like hold for one ψ. A class that derives from a prior
    or channel and writes another ψ inherits none of them: whatever has a default in ``Prior`` or
    ``Channel`` starts from that default again.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        """Take back what held for another formula."""
        super().__init_subclass__(**options)
        if _FORMULA.isdisjoint(vars(cls)):
            return
        general = [base for base in cls.__mro__ if not _has_formula(base)]
        for name in {name for base in general for name in vars(base) if not name.startswith("_")}:
            default = next(vars(base)[name] for base in general if name in vars(base))
            home = next(base for base in cls.__mro__ if name in vars(base))
            if home is not cls and _has_formula(home) and not _is_abstract(default):
                setattr(cls, name, default)

    @property
    def compiled(self) -> Compiled | None:
        """Functions of ψ compiled for fast message passing, if there are any."""
        return None


def _has_formula(kind: type) -> bool:
    """Whether a class has a ψ: ``Prior`` and ``Channel`` only ask for one."""
    return any(not _is_abstract(vars(base)[name]) for base in kind.__mro__ for name in _FORMULA if name in vars(base))


def _is_abstract(member: object) -> bool:
    return bool(getattr(member, "__isabstractmethod__", False))
