"""Simulated games of Taiwanese 16-tile mahjong, played by programs and marked as such."""

from ingest.simulate.season import Recorded, Settle, simulate
from ingest.simulate.styles import STYLES, Player, Style, roster

__all__ = ["STYLES", "Player", "Recorded", "Settle", "Style", "roster", "simulate"]
