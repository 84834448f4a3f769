"""Run `ttt-client` as `python -m ttt_client`."""

import sys

from ttt_client.cli.main import main

sys.exit(main())
