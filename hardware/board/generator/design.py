"""What a board is made of: parts, what each of their pins is tied to, and where they lie. Millimetres, y downwards.

SPDX-License-Identifier: CERN-OHL-P-2.0
"""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Part:
    """One part. `pins`: the net of each pin that is connected; of the others it is said that they are not."""

    ref: str
    symbol: str
    value: str
    footprint: str
    at: tuple
    pins: dict
    turn: int = 0
    below: bool = False
    bought: bool = True
    label: tuple = None
    """Where its name stands on the board, if not where its footprint has it."""


@dataclass(frozen=True)
class Hole:
    """A hole for an M3 screw."""

    ref: str
    at: tuple


@dataclass(frozen=True)
class Fiducial:
    """A dot of bare copper by which a machine that places parts finds the board."""

    ref: str
    at: tuple


@dataclass(frozen=True)
class Board:
    """A printed board of two layers with ground on both."""

    name: str
    title: str
    size: tuple
    grid: float
    paper: str
    groups: dict
    """The parts, under the headings of the schematic."""
    holes: list
    driven: list
    """Nets that get their supply through a connector: the checks must know."""
    wide: dict = field(default_factory=dict)
    """Width of the tracks of a net, if it is not the usual one."""
    marks: list = field(default_factory=list)
    """Texts on the board: what, where, how high; a fourth word `below` puts it on the other side."""
    fiducials: list = field(default_factory=list)
    grounded: tuple = ()
    """Parts whose ground pins are tied to each other by tracks, not by what is poured alone."""

    @property
    def parts(self):
        return [part for group in self.groups.values() for part in group]


GROUND = "GND"


def row(first, names, ground=()):
    """Pins `first`, `first + 1` … tied to `names`, those of `ground` to ground."""
    pins = {str(first + index): name for index, name in enumerate(names) if name}
    return pins | {str(pin): GROUND for pin in ground}
