"""``python -m gardner`` is the command line."""

from gardner.cli import main

if __name__ == "__main__":
    main()
