"""How a row is chosen from its predictive mean and variance: rules that theory and strategies
share.
"""

from gardner.rules import known
from gardner.rules.base import (
    RULES,
    Rule,
    RuleError,
    checked_levels,
    checked_scores,
    make_registered_rule,
    register,
)
from gardner.rules.external import FunctionRule, as_rule, load_rule, rule_like

__all__ = [
    "RULES",
    "FunctionRule",
    "Rule",
    "RuleError",
    "as_rule",
    "checked_levels",
    "checked_scores",
    "known",
    "load_rule",
    "make_registered_rule",
    "register",
    "rule_like",
]
