"""The grid of the explorer: where its places are, and how it is kept. The page itself is not written yet."""
