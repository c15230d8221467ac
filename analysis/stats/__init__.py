"""Interval estimates, one statistic per module."""
