"""Makes the KiCad 9 files of all boards: `/usr/bin/python3 hardware/board/generator [BOARD…]`.

Needs KiCad's own Python module (Debian's package `kicad`) and its libraries of symbols and footprints. The same
program makes the same bytes, so a test compares what is committed with what it makes.

SPDX-License-Identifier: CERN-OHL-P-2.0
"""

import argparse
import json
from pathlib import Path

import boards
import library
from layout import layout
from schematic import schematic
from sexpr import all_of, first_of


def pin_names(board):
    """The name of each pin: KiCad calls the net of one that is not connected after it."""
    names = {}
    for part in board.parts:
        for unit in all_of(library.symbol(part.symbol), "symbol"):
            for pin in all_of(unit, "pin"):
                name = first_of(pin, "name")[1]
                names[part.ref, first_of(pin, "number")[1]] = name
    return names


def tables(board):
    """Which libraries the files use; without it KiCad does not find them where nobody has ever run it."""
    symbols = sorted({part.symbol.split(":")[0] for part in board.parts} | {"Mechanical", "power"})
    prints = sorted({part.footprint.split(":")[0] for part in board.parts} | {"Fiducial", "MountingHole"})
    line = lambda name, path: f'  (lib (name "{name}")(type "KiCad")(uri "{path}")(options "")(descr ""))\n'
    folder = lambda name: "${KIPRJMOD}" if name == library.OWN.stem else "${KICAD9_SYMBOL_DIR}"
    own = {library.OWN.name: library.OWN.read_text()} if library.OWN.stem in symbols else {}
    return own | {
        "sym-lib-table": "(sym_lib_table\n  (version 7)\n"
        + "".join(line(name, f"{folder(name)}/{name}.kicad_sym") for name in symbols) + ")\n",
        "fp-lib-table": "(fp_lib_table\n  (version 7)\n"
        + "".join(line(name, f"${{KICAD9_FOOTPRINT_DIR}}/{name}.pretty") for name in prints) + ")\n",
    }


def project(board):
    """What the checks ask for: what any board house makes."""
    rules = {"min_clearance": 0.2, "min_track_width": 0.25, "min_via_diameter": 0.6, "min_through_hole_diameter": 0.3,
             "min_copper_edge_clearance": 0.5, "min_hole_to_hole": 0.25, "min_hole_clearance": 0.25,
             "min_resolved_spokes": 1}
    return {"board": {"design_settings": {"rules": rules}}, "meta": {"filename": f"{board.name}.kicad_pro", "version": 3}}


def main():
    parser = argparse.ArgumentParser(description="Makes the KiCad files of the boards.")
    parser.add_argument("boards", nargs="*", help="strip, switches, controller, contacts, faces; all of them if none is named")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent.parent / "kicad", help="where they go")
    arguments = parser.parse_args()
    for make in boards.ALL:
        board = make()
        if arguments.boards and board.name not in arguments.boards:
            continue
        folder = arguments.out / board.name
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in tables(board).items():
            (folder / name).write_text(text)
        (folder / f"{board.name}.kicad_sch").write_text(schematic(board))
        layout(board, pin_names(board), folder / f"{board.name}.kicad_pcb")
        # Saving the board writes a project of its own.
        (folder / f"{board.name}.kicad_pro").write_text(json.dumps(project(board), indent=2) + "\n")
        (folder / f"{board.name}.kicad_prl").unlink(missing_ok=True)
        print(f"{board.name}: {len(board.parts)} parts")


main()
