"""A complexity curve: its stationary points, followed from the typical subset to both ends."""
