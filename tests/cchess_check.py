#!/usr/bin/env python3
"""Compares the game files with what PyPI's cchess reads and we read.

    pip install cchess==1.25.5
    cargo build -p xiangqi --example game_files
    python3 tests/cchess_check.py [--every 20]

Files of ours: every so-manieth game of `../shared/rules/games.tsv` (or
$CHUHE_SHARED) is written as PGN in Chinese and ICCS, as DhtmlXQ and as XQF;
cchess must read the same moves. (It has no reader of a whole DhtmlXQ file, but
one of its move list; the list is taken out of the file by its tag.) Files of others: every line of play of the XQF, CBR and CBF
samples of `../shared/broadcast/samples` must be the same in both readings, and
in cchess's reading of our XQF of it. cchess skips illegal moves and goes on
behind them, so of samples that have any only the main lines are compared. It
misreads two kinds of Chinese moves that the rules allow: of one of two elephants
or advisors on a file (which never take 前 or 后), and of one of two soldiers on
a file; games are compared up to the first of those that it does not read.
Exit status 0 = all agree, 1 = some do not, 2 = the check could not run.

cchess is a tool of this check under GPL-3 and no part of the project.
"""

import argparse
import itertools
import os
import pathlib
import re
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parent.parent
MISREAD = re.compile("[相象仕士]|[前后][兵卒]")


def ours(tool, *arguments):
    run = subprocess.run([tool, *map(str, arguments)], capture_output=True, text=True, check=True)
    return [line.split() for line in run.stdout.splitlines() if line], run.stderr.strip()


def theirs(cchess, path):
    game = cchess.Game.read_from(str(path))
    return game.dump_iccs_moves() if game.first_move else []


def dhtmlxq(path):
    from cchess.read_txt import read_from_txt
    text = path.read_text()
    tags = dict(re.findall(r"\[DhtmlXQ_(movelist|binit)\](.*?)\[/DhtmlXQ_", text))
    game = read_from_txt(tags["movelist"], tags.get("binit") or None)
    return game.dump_iccs_moves() if game.first_move else [[]]


def own_files(cchess, tool, table, every, folder):
    """Pairs of a name and whether cchess reads what was written."""
    ours(tool, "export", table, every, folder)
    for uci in sorted(folder.glob("*.uci")):
        moves = uci.read_text().split("\t")[-1].split()
        for kind in ("chinese.pgn", "iccs.pgn", "dhtmlxq.txt", "xqf"):
            path = uci.with_suffix(f".{kind}")
            [read] = dhtmlxq(path) if kind == "dhtmlxq.txt" else theirs(cchess, path)
            same = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(read, moves)))
            if kind == "chinese.pgn" and same < len(moves) and MISREAD.match(words(path)[same]):
                print(f"compared up to ply {same} of {len(moves)}: {path.name}: {words(path)[same]}")
                yield path.name, True
            else:
                yield path.name, read == moves


def words(path):
    """The moves of a PGN without comments as they are written."""
    lines = [line for line in path.read_text().splitlines() if not line.startswith("[")]
    return [word for line in lines for word in line.split() if not word.endswith(".")]


def others_files(cchess, tool, samples, folder):
    """Pairs of a name and whether both read the same lines."""
    for path in sorted(p for p in samples.iterdir() if p.suffix in (".xqf", ".cbr", ".cbf")):
        lines, errors = ours(tool, "lines", path)
        try:
            other = theirs(cchess, path)
        except IndexError:
            # It does not read files that end with their first record.
            print(f"not compared: {path.name}: cchess cannot read it")
            continue
        if errors:
            yield path.name, lines[0] == other[0]
            continue
        yield path.name, sorted(lines) == sorted(other)
        ours(tool, "rewrite", path, folder)
        yield f"{path.name} as XQF", sorted(theirs(cchess, folder / "game.xqf")) == sorted(lines)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--every", type=int, default=20)
    every = arguments.parse_args().every
    shared = pathlib.Path(os.environ.get("CHUHE_SHARED", TOP / "../shared"))
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", TOP / "target"))
    tool = target / "debug/examples/game_files"
    try:
        import cchess
    except ImportError:
        sys.exit(print("cannot run: pip install cchess==1.25.5") or 2)
    for needed in (tool, shared / "rules/games.tsv"):
        if not needed.exists():
            sys.exit(print(f"cannot run: {needed} is not there") or 2)

    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        results = [
            *own_files(cchess, tool, shared / "rules/games.tsv", every, folder),
            *others_files(cchess, tool, shared / "broadcast/samples", folder),
        ]
    wrong = [name for name, same in results if not same]
    for name in wrong:
        print(f"differs: {name}")
    print(f"{len(results) - len(wrong)} of {len(results)} files agree")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
