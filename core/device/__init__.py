"""What a model runs on: GPUs in this machine, catalogue cards for planning, the CPU stand-in."""
