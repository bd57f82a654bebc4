"""The entry point of the command `allograph`."""

import sys


def main() -> None:
    """Run the command line; without the packages it needs, say in one line what to install."""
    try:
        if sys.argv[1:2] == ["run"]:  # programs do not wait for what the other commands need
            from .run_command import run_command

            run_command(sys.argv[2:], prog_name="allograph run")
        from .commands import allograph
    except ModuleNotFoundError as error:
        missing = f"The command needs the package {error.name}: pip install 'allograph[cli]'"
        print(missing, file=sys.stderr)
        sys.exit(2)
    allograph()
