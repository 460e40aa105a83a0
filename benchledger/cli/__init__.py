"""The command line: every command is one library call, printed. The only place that knows click."""
