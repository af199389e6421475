"""The window's panels: each reads the session and asks it to change."""
