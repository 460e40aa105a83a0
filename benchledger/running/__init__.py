"""Runs training cases: case files to command lines, command lines to logs in the staging folder."""
