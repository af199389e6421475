"""The deployment file: written, read back, and obeyed."""
