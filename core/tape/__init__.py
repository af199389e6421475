"""The allocation tape: its format, the polynomial fit, the envelope, and the store.  numpy only."""
