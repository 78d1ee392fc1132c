"""Measurements; run each as a module from the root."""
