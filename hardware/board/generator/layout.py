"""A printed board: footprints in their places, tracks, ground poured on both sides. Through KiCad's own Python module.

SPDX-License-Identifier: CERN-OHL-P-2.0
"""

import math
from pathlib import Path

import pcbnew

import sexpr
from design import GROUND
from router import DRILL, EDGE, TRACK, VIA, Copper, Router, Unroutable
from schematic import identity
from sexpr import Quoted

FOOTPRINTS = Path("/usr/share/kicad/footprints")
LAYERS = (pcbnew.F_Cu, pcbnew.B_Cu)
ORIGIN = (50, 50)
"""Where the board's corner lies on KiCad's sheet, mm."""
GROUND_TRACK = 0.4
TRIES = 40
HOLE = 2.2
"""Ground keeps so far from the middle of a hole …"""
HEAD = 3.3
"""… and every track: a screw's head must not rub on it, mm."""


def _at(x, y):
    return pcbnew.VECTOR2I_MM(x + ORIGIN[0], y + ORIGIN[1])


class Layout:
    def __init__(self, board, pin_names, file):
        self.board = board
        self.pin_names = pin_names
        self.pcb = pcbnew.NewBoard(str(file))
        rules = self.pcb.GetDesignSettings()
        rules.m_HoleClearance = pcbnew.FromMM(0.25)
        rules.m_CopperEdgeClearance = pcbnew.FromMM(EDGE)
        self.nets = {}
        self.vias = set()
        self.keepouts = []
        self.ground = {}
        self.router = Router(board.size, board.grid)

    def net(self, name):
        if name not in self.nets:
            self.nets[name] = pcbnew.NETINFO_ITEM(self.pcb, name)
            self.pcb.Add(self.nets[name])
        return self.nets[name]

    def footprint(self, ref, lib_id, value, at, turn, below, bought, pins, label=None):
        library, name = lib_id.split(":")
        item = pcbnew.FootprintLoad(str(FOOTPRINTS / f"{library}.pretty"), name)
        if item is None:
            raise SystemExit(f"{ref}: there is no footprint {lib_id}")
        item.SetFPIDAsString(lib_id)
        item.SetReference(ref)
        item.SetValue(value)
        item.SetPath(pcbnew.KIID_PATH(f"/{identity(self.board.name, ref)}"))
        item.SetExcludedFromBOM(not bought)
        self.pcb.Add(item)
        item.SetPosition(_at(*at))
        if below:
            item.Flip(item.GetPosition(), pcbnew.FLIP_DIRECTION_TOP_BOTTOM)
        item.SetOrientationDegrees(turn)
        # Names are for whoever solders; what has a text of its own beside it needs none.
        if not bought and not ref.startswith("JP"):
            item.Reference().SetVisible(False)
        if label:
            item.Reference().SetPosition(_at(*label))
            item.Reference().SetTextAngleDegrees(0)
        # KiCad gives them in an order of its own.
        for pad in sorted(item.Pads(), key=lambda pad: (pad.GetNumber(), pad.GetPosition().x, pad.GetPosition().y)):
            net = pins.get(pad.GetNumber())
            if net:
                pad.SetNet(self.net(net))
            elif pad.GetNumber():
                pad.SetNet(self.net(f"unconnected-({ref}-{self.pin_names[ref, pad.GetNumber()]}-Pad{pad.GetNumber()})"))
            self.router.copper.append(_copper(pad, pad.GetNetname()))
            if net == GROUND:
                self.ground.setdefault(ref, []).append(self.router.copper[-1])
        for zone in item.Zones():
            self.keepouts.append(_copper(zone, ""))
        # The bridge of a net tie.
        bridges = [shape for shape in item.GraphicalItems() if any(shape.IsOnLayer(layer) for layer in LAYERS)]
        self.router.copper += self.keepouts + [_copper(shape, "") for shape in bridges]

    def lay(self, net, tracks, vias, width):
        for layer, points in tracks:
            for a, b in zip(points, points[1:]):
                track = pcbnew.PCB_TRACK(self.pcb)
                track.SetStart(_at(*a))
                track.SetEnd(_at(*b))
                track.SetWidth(pcbnew.FromMM(width))
                track.SetLayer(LAYERS[layer])
                track.SetNet(self.net(net))
                self.pcb.Add(track)
        for x, y in vias:
            if (x, y) in self.vias:
                continue
            self.vias.add((x, y))
            via = pcbnew.PCB_VIA(self.pcb)
            via.SetPosition(_at(x, y))
            via.SetWidth(pcbnew.FromMM(VIA))
            via.SetDrill(pcbnew.FromMM(DRILL))
            via.SetNet(self.net(net))
            self.pcb.Add(via)

    def route(self):
        """Every net; ground is poured, so that a pad on one side needs no more than a via beside it."""
        pads = {}
        for copper in list(self.router.copper):
            pads.setdefault(copper.net, []).append(copper)
        tied = [pad for ref in self.board.grounded for pad in self.ground[ref]]
        if tied:
            self.lay(GROUND, *self.router.connect(GROUND, tied, GROUND_TRACK), GROUND_TRACK)
        for pad in pads.get(GROUND, []):
            if len(pad.layers) == 1:
                self.lay(GROUND, *self.router.via_beside(GROUND, pad, GROUND_TRACK), GROUND_TRACK)
            elif any(_overlap(pad, keepout) for keepout in self.keepouts):
                # Nothing is poured here.
                free = [other for other in pads[GROUND] if len(other.layers) == 2 and other not in self.keepouts and other is not pad]
                nearest = min(free, key=lambda other: _span([pad, other]))
                self.lay(GROUND, *self.router.connect(GROUND, [pad, nearest], GROUND_TRACK), GROUND_TRACK)
        names = [name for name in pads if name and name != GROUND and len(pads[name]) > 1]
        order = sorted(names, key=lambda name: (name not in self.board.wide, _span(pads[name]), name))
        before, drilled = list(self.router.copper), list(self.router.drilled)
        for _ in range(TRIES):
            try:
                ways = [(name, self.router.connect(name, pads[name], self.board.wide.get(name, TRACK))) for name in order]
                break
            except Unroutable as shut:
                print(f"  {shut}; it goes first now")
                # Whoever found no way goes first the next time.
                order.sort(key=lambda name: name != shut.net)
                self.router.copper, self.router.drilled = list(before), list(drilled)
        else:
            raise SystemExit(f"{self.board.name}: no order of its nets was found that leaves a way to each")
        for name, way in ways:
            self.lay(name, *way, self.board.wide.get(name, TRACK))

    def outline(self):
        width, height = self.board.size
        corners = [(0, 0), (width, 0), (width, height), (0, height)]
        for a, b in zip(corners, corners[1:] + corners[:1]):
            line = pcbnew.PCB_SHAPE(self.pcb, pcbnew.SHAPE_T_SEGMENT)
            line.SetStart(_at(*a))
            line.SetEnd(_at(*b))
            line.SetLayer(pcbnew.Edge_Cuts)
            line.SetWidth(pcbnew.FromMM(0.1))
            self.pcb.Add(line)

    def pour(self):
        width, height = self.board.size
        for layer in LAYERS:
            zone = pcbnew.ZONE(self.pcb)
            zone.SetLayer(layer)
            zone.SetNet(self.net(GROUND))
            zone.SetLocalClearance(pcbnew.FromMM(0.25))
            zone.SetMinThickness(pcbnew.FromMM(0.25))
            zone.SetPadConnection(pcbnew.ZONE_CONNECTION_THT_THERMAL)
            zone.SetIslandRemovalMode(pcbnew.ISLAND_REMOVAL_MODE_ALWAYS)
            outline = zone.Outline()
            outline.NewOutline()
            for x, y in [(0.5, 0.5), (width - 0.5, 0.5), (width - 0.5, height - 0.5), (0.5, height - 0.5)]:
                outline.Append(_at(x, y))
            # The filler knows nothing of holes without copper.
            for index, hole in enumerate(self.board.holes):
                outline.NewHole(0)
                for step in range(24):
                    turn = step * math.tau / 24
                    x, y = hole.at[0] + HOLE * math.cos(turn), hole.at[1] + HOLE * math.sin(turn)
                    outline.Append(_at(x, y).x, _at(x, y).y, 0, index)
            self.pcb.Add(zone)
        pcbnew.ZONE_FILLER(self.pcb).Fill(self.pcb.Zones())

    def text(self, words, at, size, side="above"):
        text = pcbnew.PCB_TEXT(self.pcb)
        text.SetText(words)
        text.SetPosition(_at(*at))
        text.SetLayer(pcbnew.F_SilkS if side == "above" else pcbnew.B_SilkS)
        text.SetMirrored(side == "below")
        text.SetTextSize(pcbnew.VECTOR2I_MM(size, size))
        text.SetTextThickness(pcbnew.FromMM(size * 0.15))
        self.pcb.Add(text)


def _copper(item, net):
    box = item.GetBoundingBox()
    mm = lambda value, origin: pcbnew.ToMM(value) - origin
    edges = (mm(box.GetLeft(), ORIGIN[0]), mm(box.GetTop(), ORIGIN[1]), mm(box.GetRight(), ORIGIN[0]), mm(box.GetBottom(), ORIGIN[1]))
    layers = tuple(index for index, layer in enumerate(LAYERS) if item.IsOnLayer(layer)) or (0, 1)
    return Copper(net, layers, edges)


def _overlap(one, other):
    a, b = one.grown(1), other.box
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _span(pads):
    """How far apart the pads of a net lie."""
    left, top, right, bottom = zip(*(pad.box for pad in pads))
    return max(right) - min(left) + max(bottom) - min(top)


def layout(board, pin_names, file):
    """Writes the board's .kicad_pcb."""
    made = Layout(board, pin_names, file)
    for part in board.parts:
        made.footprint(part.ref, part.footprint, part.value, part.at, part.turn, part.below, part.bought, part.pins, part.label)
    for hole in board.holes:
        made.footprint(hole.ref, "MountingHole:MountingHole_3.2mm_M3", "M3", hole.at, 0, False, False, {})
        made.router.copper.append(Copper("", (0, 1), Copper("", (), hole.at * 2).grown(HEAD)))
    for fiducial in board.fiducials:
        made.footprint(fiducial.ref, "Fiducial:Fiducial_1mm_Mask2mm", "fiducial", fiducial.at, 0, False, False, {})
    made.outline()
    made.route()
    for mark in board.marks:
        made.text(*mark)
    if GROUND in made.nets:
        made.pour()
    made.pcb.GetTitleBlock().SetTitle(board.title)
    made.pcb.GetTitleBlock().SetRevision("1")
    made.pcb.GetTitleBlock().SetComment(0, "CERN-OHL-P-2.0")
    made.pcb.Save(str(file))
    file.write_text(settled(file.read_text(), board.name))


def settled(text, name):
    """The same board in the same bytes: KiCad numbers things at random, and puts them in the order of their numbers."""
    tree = _without_numbers(sexpr.parse(text))
    counter = iter(range(10**6))

    def number(node):
        for item in node:
            if isinstance(item, list):
                if item[0] == "uuid":
                    item[1] = Quoted(identity(name, "pcb", str(next(counter))))
                number(item)

    number(tree)
    return sexpr.write(tree) + "\n"


def _without_numbers(node):
    """All numbers blank, and what has numbers in the order of the rest of it."""
    if not isinstance(node, list):
        return node
    if node[0] == "uuid":
        return ["uuid", Quoted("")]
    # Groups name their members by number; nobody needs them here.
    items = [_without_numbers(item) for item in node if not (isinstance(item, list) and item[:1] == ["group"])]
    numbered = sorted((item for item in items if _has_number(item)), key=sexpr.write)
    ordered = iter(numbered)
    return [next(ordered) if _has_number(item) else item for item in items]


def _has_number(item):
    return isinstance(item, list) and any(isinstance(child, list) and child[:1] == ["uuid"] for child in item)
