"""`python -m tabulaflow_core.cli`."""

from __future__ import annotations

import sys

from tabulaflow_core.cli.main import main

sys.exit(main())
