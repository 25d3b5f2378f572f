"""Results read back and compared, next to what theory says of them. Nothing is run here."""
