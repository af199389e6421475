"""The only package that imports torch; it runs as a separate process.

`vramtuner.core.probe.client` and `vramtuner.core.probe.protocol` are the two modules that other processes import;
they never import torch.
"""
