"""What runners share. Nothing of the engine: each framework lives in an environment of its own."""
