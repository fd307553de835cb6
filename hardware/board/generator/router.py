"""Finds tracks: the shortest way on a grid of two layers, net by net, around what lies there already.

SPDX-License-Identifier: CERN-OHL-P-2.0
"""

import heapq
from dataclasses import dataclass
from math import ceil, floor

CLEARANCE = 0.2
TRACK = 0.25
VIA = 0.6
DRILL = 0.3
HOLES = 0.25
"""Of one hole to the next."""
EDGE = 0.5
TURN, CHANGE = 0.3, 8
"""What a bend and a change of layers cost, in steps."""


@dataclass(frozen=True)
class Copper:
    """A rectangle of copper (or a hole, of no net) on some layers: 0 above, 1 below."""

    net: str
    layers: tuple
    box: tuple

    def grown(self, by):
        left, top, right, bottom = self.box
        return left - by, top - by, right + by, bottom + by


class Unroutable(Exception):
    """There is no way left for this net."""

    def __init__(self, net, why):
        super().__init__(f"{net}: {why}")
        self.net = net


class Router:
    def __init__(self, size, grid):
        self.grid = grid
        self.columns, self.rows = (floor(length / grid) + 1 for length in size)
        self.size = size
        self.copper = []
        self.drilled = []

    def _cells(self, box):
        """The grid's points in a box."""
        left, top, right, bottom = (value / self.grid for value in box)
        for y in range(max(ceil(top - 1e-6), 0), min(floor(bottom + 1e-6), self.rows - 1) + 1):
            for x in range(max(ceil(left - 1e-6), 0), min(floor(right + 1e-6), self.columns - 1) + 1):
                yield y * self.columns + x

    def _blocked(self, net, radius):
        """Where the middle of a round thing of this net cannot lie, on each layer."""
        inner = (EDGE + radius, EDGE + radius, self.size[0] - EDGE - radius, self.size[1] - EDGE - radius)
        empty = bytearray(b"\1") * (self.columns * self.rows)
        for cell in self._cells(inner):
            empty[cell] = 0
        blocked = [bytearray(empty), empty]
        for copper in self.copper:
            if copper.net != net:
                for cell in self._cells(copper.grown(radius + CLEARANCE - 1e-4)):
                    for layer in copper.layers:
                        blocked[layer][cell] = 1
        return blocked

    def _via_blocked(self, net):
        """Where there cannot be a via: on no layer may it touch anything, and its hole no other hole."""
        blocked = bytearray(a | b for a, b in zip(*self._blocked(net, VIA / 2)))
        for x, y in self.drilled:
            for cell in self._cells(Copper(net, (), (x, y, x, y)).grown(DRILL + HOLES)):
                if self._point(cell) != (x, y):
                    blocked[cell] = 1
        return blocked

    def connect(self, net, pads, width):
        """Ties the pads of a net together; the tracks as (layer, points) and the vias."""
        tracks, vias = [], []
        on_track, via_blocked = self._blocked(net, width / 2), self._via_blocked(net)
        nodes = [self._pad_nodes(pad, on_track) for pad in pads]
        for pad, own in zip(pads, nodes):
            if not own:
                raise Unroutable(net, f"the pad at {pad.box} is shut in")
        tied = set(nodes[0])
        waiting = list(range(1, len(pads)))
        while waiting:
            goals = {node: pad for pad in waiting for node in nodes[pad]}
            path = self._search(tied, goals, on_track, via_blocked)
            if path is None:
                raise Unroutable(net, f"no way to the pads at {[pads[pad].box for pad in waiting]}")
            reached = goals[path[-1]]
            waiting.remove(reached)
            tied |= set(path) | nodes[reached]
            self._lay(net, path, width, tracks, vias)
        return tracks, vias

    def via_beside(self, net, pad, width):
        """A short track from a pad of one layer to a via."""
        layer = pad.layers[0]
        on_track, via_blocked = self._blocked(net, width / 2), self._via_blocked(net)
        # A via in a pad would let the solder run away.
        for cell in self._cells(pad.grown(VIA / 2)):
            via_blocked[cell] = 1
        own = self._pad_nodes(pad, on_track)
        path = self._search(own, None, on_track, via_blocked, stop=lambda node: node[0] != layer)
        if path is None:
            raise Unroutable(net, f"no via beside the pad at {pad.box}")
        tracks, vias = [], []
        self._lay(net, path, width, tracks, vias)
        return tracks, vias

    def _pad_nodes(self, pad, on_track):
        left, top, right, bottom = pad.box
        # Round pads do not fill their corners.
        inner = pad.grown(-0.15 * min(right - left, bottom - top))
        return {(layer, cell) for cell in self._cells(inner) for layer in pad.layers if not on_track[layer][cell]}

    def _search(self, starts, goals, on_track, via_blocked, stop=None):
        columns = self.columns
        if goals:
            stop = goals.__contains__
            across, down = zip(*((cell % columns, cell // columns) for _, cell in goals))
            left, right, top, bottom = min(across), max(across), min(down), max(down)

        def left_to_go(cell):
            """No way to any goal is shorter."""
            if not goals:
                return 0
            x, y = cell % columns, cell // columns
            return max(left - x, x - right, 0) + max(top - y, y - bottom, 0)

        queue = [(left_to_go(node[1]), 0, node, None, 0) for node in sorted(starts)]
        heapq.heapify(queue)
        came = {}

        def push(cost, node, before, heading):
            heapq.heappush(queue, (cost + left_to_go(node[1]), cost, node, before, heading))

        while queue:
            _, cost, node, before, heading = heapq.heappop(queue)
            if node in came:
                continue
            came[node] = before
            if stop(node):
                path = [node]
                while came[path[-1]] is not None:
                    path.append(came[path[-1]])
                return path[::-1]
            layer, cell = node
            for step in (1, -1, columns, -columns):
                after = (layer, cell + step)
                if not on_track[layer][after[1]] and after not in came:
                    # Upper tracks like to run across, lower ones down.
                    slope = 1.0 if (abs(step) == 1) == (layer == 0) else 1.3
                    bend = TURN if heading and heading != step else 0
                    push(cost + slope + bend, after, node, step)
            other = (1 - layer, cell)
            if not via_blocked[cell] and not on_track[other[0]][cell] and other not in came:
                push(cost + CHANGE, other, node, 0)
        return None

    def _point(self, cell):
        return round(cell % self.columns * self.grid, 4), round(cell // self.columns * self.grid, 4)

    def _lay(self, net, path, width, tracks, vias):
        run = [path[0]]
        for node in [*path[1:], None]:
            if node is not None and node[0] == run[-1][0]:
                run.append(node)
                continue
            points = _corners([self._point(cell) for _, cell in run])
            if len(points) > 1:
                tracks.append((run[0][0], points))
                for (ax, ay), (bx, by) in zip(points, points[1:]):
                    box = (min(ax, bx), min(ay, by), max(ax, bx), max(ay, by))
                    self.copper.append(Copper(net, (run[0][0],), Copper(net, (), box).grown(width / 2)))
            if node is not None:
                x, y = self._point(node[1])
                vias.append((x, y))
                self.drilled.append((x, y))
                self.copper.append(Copper(net, (0, 1), Copper(net, (), (x, y, x, y)).grown(VIA / 2)))
                run = [node]


def _corners(points):
    """Without the points that lie on the way straight on."""
    kept = points[:1]
    for before, at, after in zip(points, points[1:], points[2:]):
        if (at[0] - before[0], at[1] - before[1]) != (after[0] - at[0], after[1] - at[1]):
            kept.append(at)
    return kept + points[-1:] if len(points) > 1 else kept
