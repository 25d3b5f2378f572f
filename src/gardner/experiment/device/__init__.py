"""A whole run where the rows live, on a GPU: pool, labels, posterior, scores and choice.

It needs NumPy, SciPy, array-api-compat and the library of the arrays (PyTorch on a GPU), and
nothing else.
"""
