"""`python -m ttt_client` is `ttt-client`."""

import sys

from ttt_client.cli.main import main

sys.exit(main())
