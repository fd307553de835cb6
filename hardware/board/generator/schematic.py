"""A schematic: each group of parts under its heading, the name of its net at each pin.

SPDX-License-Identifier: CERN-OHL-P-2.0
"""

import uuid

import library
import sexpr
from sexpr import Quoted

SPACE = uuid.UUID("5a1c43f0-9d3c-4f0e-8d8a-63689ba4c487")
STEP = 2.54
PAPER = {"A4": 297, "A3": 420, "A2": 594}
MARGIN = 25.4
ABOVE, BELOW = 12.7, 7.62
LABEL = 20.32
"""Room for the names beside a symbol, mm."""


def identity(*words):
    """The same number for the same thing, whenever the files are made."""
    return str(uuid.uuid5(SPACE, "/".join(words)))


def _effects(size=1.27, *more):
    return ["effects", ["font", ["size", size, size]], *more]


def _text(words, x, y, size):
    return ["text", Quoted(words), ["exclude_from_sim", "no"], ["at", x, y, 0], _effects(size, ["justify", "left"])]


class Sheet:
    """Where things go, and what was drawn."""

    def __init__(self, board):
        self.board = board
        self.root = identity(board.name)
        self.drawn = []
        self.used = {}
        self.x, self.y, self.line = MARGIN, MARGIN, 0.0

    def place(self, lib_id):
        """The next free place for a symbol."""
        spots = library.pins(lib_id) or [("", 0, 0, 0)]
        left = min(x for _, x, _, _ in spots) - LABEL
        right = max(x for _, x, _, _ in spots) + LABEL
        top = max(y for _, _, y, _ in spots) + ABOVE
        bottom = min(y for _, _, y, _ in spots) - BELOW
        if self.x + right - left > PAPER[self.board.paper] - MARGIN:
            self.new_line()
        x, y = self.x - left, self.y + top
        self.x += right - left
        self.line = max(self.line, top - bottom)
        return round(x / STEP) * STEP, round(y / STEP) * STEP

    def new_line(self):
        self.x, self.y, self.line = MARGIN, self.y + self.line, 0.0

    def heading(self, words):
        self.new_line()
        self.drawn.append(_text(words, self.x, self.y + 2.54, 2.54))
        self.y += 5.08

    def symbol(self, ref, lib_id, value, footprint, nets, bought=True, on_board=True):
        x, y = self.place(lib_id)
        self.used[lib_id] = library.symbol(lib_id)
        spots = library.pins(lib_id)
        top = max((spot[2] for spot in spots), default=0) + 5.08
        hidden = [["hide", "yes"]] if ref.startswith("#") else []
        prop = lambda name, words, dy, *more: [
            "property", Quoted(name), Quoted(words), ["at", x + 5.08, y - top - dy, 0],
            _effects(1.27, ["justify", "left"], *more)]
        self.drawn.append([
            "symbol", ["lib_id", Quoted(lib_id)], ["at", x, y, 0], ["unit", 1], ["exclude_from_sim", "no"],
            ["in_bom", "yes" if bought else "no"], ["on_board", "yes" if on_board else "no"], ["dnp", "no"],
            ["uuid", Quoted(identity(self.board.name, ref))],
            prop("Reference", ref, 2.54, *hidden), prop("Value", value, 0),
            prop("Footprint", footprint, 0, ["hide", "yes"]),
            *(["pin", Quoted(spot[0]), ["uuid", Quoted(identity(self.board.name, ref, spot[0]))]] for spot in spots),
            ["instances", ["project", Quoted(self.board.name),
             ["path", Quoted(f"/{self.root}"), ["reference", Quoted(ref)], ["unit", 1]]]]])
        at = {}
        for number, px, py, turn in spots:
            at.setdefault((x + px, y - py, turn), set()).add(nets.get(number))
        for (px, py, turn), names in at.items():
            if len(names) > 1:
                raise SystemExit(f"{ref}: pins in one place have the nets {names}")
            self.tie(ref, names.pop(), round(px, 2), round(py, 2), turn)

    def tie(self, ref, net, x, y, turn):
        own = identity(self.board.name, ref, str(x), str(y))
        if net is None:
            self.drawn.append(["no_connect", ["at", x, y], ["uuid", Quoted(own)]])
            return
        outwards = (turn + 180) % 360
        side = "left" if outwards in (0, 90) else "right"
        self.drawn.append(["global_label", Quoted(net), ["shape", "passive"], ["at", x, y, outwards],
                           _effects(1.27, ["justify", side]), ["uuid", Quoted(own)]])


def schematic(board):
    """The text of the board's .kicad_sch."""
    sheet = Sheet(board)
    for heading, parts in board.groups.items():
        sheet.heading(heading)
        for part in parts:
            sheet.symbol(part.ref, part.symbol, part.value, part.footprint, part.pins, part.bought)
    sheet.heading("Holes, marks for machines, and what the checks must know of the supplies")
    for hole in board.holes:
        sheet.symbol(hole.ref, "Mechanical:MountingHole", "M3", "MountingHole:MountingHole_3.2mm_M3", {}, False)
    for fiducial in board.fiducials:
        sheet.symbol(fiducial.ref, "Mechanical:Fiducial", "fiducial", "Fiducial:Fiducial_1mm_Mask2mm", {}, False)
    for index, net in enumerate(board.driven, 1):
        sheet.symbol(f"#FLG{index:02}", "power:PWR_FLAG", "PWR_FLAG", "", {"1": net}, False, False)
    return sexpr.write([
        "kicad_sch", ["version", "20250114"], ["generator", Quoted("chuhe")], ["generator_version", Quoted("9.0")],
        ["uuid", Quoted(sheet.root)], ["paper", Quoted(board.paper)],
        ["title_block", ["title", Quoted(board.title)], ["rev", Quoted("1")],
         ["company", Quoted("Chuhe")], ["comment", 1, Quoted("CERN-OHL-P-2.0")]],
        ["lib_symbols", *sheet.used.values()], *sheet.drawn,
        ["sheet_instances", ["path", Quoted("/"), ["page", Quoted("1")]]], ["embedded_fonts", "no"]]) + "\n"
