"""Shared by all tests."""

import signal

# Started in the background, the test run may ignore Ctrl-C, and so would every command it starts.
signal.signal(signal.SIGINT, signal.default_int_handler)
