"""``python -m palio``: the command line, where the script is not on the path."""

import sys

from palio.app.cli import main

if __name__ == "__main__":
    sys.exit(main())
