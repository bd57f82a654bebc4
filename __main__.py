"""`python -m allograph` is the command `allograph`."""

from .tools.cli import main

main()
