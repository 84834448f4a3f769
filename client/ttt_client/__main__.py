"""`python -m ttt_client` is `ttt-client`."""

import sys

from ttt_client.cli import main

sys.exit(main())
