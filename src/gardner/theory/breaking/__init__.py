"""One step of replica symmetry breaking: what becomes of the ends of a curve where replica symmetry
fails.
"""
