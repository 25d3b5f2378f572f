"""Which rows to label next: the strategies of the paper, one beyond it, and anyone's."""

from gardner.strategies import al_amp, by_rule, committee, margin, swap, table_query, table_swap, uniform
from gardner.strategies.base import (
    Choice,
    Strategy,
    StrategyError,
    View,
    choose,
    make_registered,
    register,
    registered_strategies,
)
from gardner.strategies.external import make_strategy

by_rule.register_rules()

__all__ = [
    "Choice",
    "Strategy",
    "StrategyError",
    "View",
    "al_amp",
    "by_rule",
    "choose",
    "committee",
    "make_registered",
    "make_strategy",
    "margin",
    "register",
    "registered_strategies",
    "swap",
    "table_query",
    "table_swap",
    "uniform",
]
