"""`python -m allograph.tools` is the command `allograph`."""

from .cli import main

main()
