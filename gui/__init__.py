"""Qt widgets over ``vramtuner.core``; holds no arithmetic."""
