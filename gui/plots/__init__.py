"""The plots: pyqtgraph items that draw what the session holds."""
