"""Our strategies in other libraries' loops: scikit-activeml's (``skactiveml``) and modAL's
(``modal``).
"""
