"""Symbols of KiCad's own libraries and of ours, with the places of their pins.

SPDX-License-Identifier: CERN-OHL-P-2.0
"""

import os
from functools import cache
from pathlib import Path

import sexpr
from sexpr import Quoted, all_of, first_of

SYMBOLS = Path(os.environ.get("KICAD9_SYMBOL_DIR", "/usr/share/kicad/symbols"))
OWN = Path(__file__).parent / "chuhe.kicad_sym"
"""What KiCad's libraries lack; each board that needs it has a copy."""


def file(name):
    return OWN if name == OWN.stem else SYMBOLS / f"{name}.kicad_sym"


@cache
def _library(name):
    tree = sexpr.parse(file(name).read_text())
    return {symbol[1]: symbol for symbol in all_of(tree, "symbol")}


def _whole(library, name):
    """A symbol that extends another one, with all that it has from there."""
    symbol = _library(library)[name]
    extends = first_of(symbol, "extends")
    if extends is None:
        return symbol
    base = _whole(library, extends[1])
    own = {prop[1]: prop for prop in all_of(symbol, "property")}
    kept = [item for item in base[2:] if not (isinstance(item, list) and item[0] == "property")]
    properties = {prop[1]: prop for prop in all_of(base, "property")} | own
    units = [["symbol", Quoted(item[1].replace(base[1], name, 1)), *item[2:]] if _is_unit(item) else item for item in kept]
    return ["symbol", Quoted(name), *properties.values(), *units]


def _is_unit(item):
    return isinstance(item, list) and item[0] == "symbol"


def symbol(lib_id):
    """The symbol as a schematic embeds it."""
    library, name = lib_id.split(":")
    return ["symbol", Quoted(lib_id), *_whole(library, name)[2:]]


@cache
def pins(lib_id):
    """Each pin's number, place (y upwards) and the direction from there into the body, degrees."""
    found = []
    for unit in all_of(symbol(lib_id), "symbol"):
        for pin in all_of(unit, "pin"):
            x, y, turn = (float(word) for word in first_of(pin, "at")[1:4])
            found.append((first_of(pin, "number")[1], x, y, int(turn)))
    return found
