"""Message passing where the rows live: on a GPU, or on any array library.

It needs NumPy, SciPy, array-api-compat and the library of the arrays, and nothing else: a machine
with a GPU may have no Numba.
"""
