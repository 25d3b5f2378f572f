"""The explorer: its grid, where its places are and how it is kept, and the page that shows it."""
