"""Questions with their answers: bounds, curves and budgets."""
