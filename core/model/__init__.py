"""What is deployed: find a model, read its config and its safetensors headers."""
