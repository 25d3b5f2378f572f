"""Real tables: fitted, asked about, predicted."""
