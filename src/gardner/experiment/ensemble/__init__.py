"""All subsets of a pool, weighted by their volumes, sampled by Markov chains."""
