"""Frames to charts, charts to one page. Plotting lives here and nowhere else."""
