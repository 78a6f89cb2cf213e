"""Waiting for a condition, never for a time."""

import os
import time

# Generous: a test fails because something is wrong, not because the machine is busy.
PATIENCE = float(os.environ.get("TEXT2SQL_PATIENCE", "60"))


def wait_until(condition, what, seconds=PATIENCE):
    """Calls `condition` until it returns something true, and returns that."""
    end = time.monotonic() + seconds
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > end:
            raise AssertionError(f"waited {seconds:.0f} s for {what}")
        time.sleep(0.05)
