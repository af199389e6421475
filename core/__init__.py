"""Everything that is not a window: forecast, probe, validation, deployment.  Never imports Qt."""
