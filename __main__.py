"""`python -m allograph` is the command `allograph`."""

from allograph.tools.cli import main

main()
