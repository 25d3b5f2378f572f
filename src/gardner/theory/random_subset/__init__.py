"""What a random subset tells (β = 0): the ordinary theory of learning."""
