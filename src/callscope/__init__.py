"""Callscope: self-hosted call-center analytics."""

__version__ = "0.1.0"
