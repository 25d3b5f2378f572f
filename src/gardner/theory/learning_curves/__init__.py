"""Learning curves of strategies without simulation: a state evolution in the number of labels."""
