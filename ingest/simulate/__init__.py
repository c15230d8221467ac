"""Simulated games of Taiwanese 16-tile mahjong, played by programs and marked as such."""

from ingest.simulate.hand import HouseRules
from ingest.simulate.season import Recorded, Settle, simulate
from ingest.simulate.styles import STYLES, Player, Style, roster

__all__ = ["STYLES", "HouseRules", "Player", "Recorded", "Settle", "Style", "roster", "simulate"]
