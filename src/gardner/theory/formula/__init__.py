"""The free entropy and everything it is made of: models, integrals, derivatives."""
