"""Many tasks at once. Dask lives here: the client, its cluster, and the workers."""
