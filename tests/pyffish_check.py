#!/usr/bin/env python3
"""Compares legal moves with Fairy-Stockfish on positions of random and real games.

    pip install pyffish
    cargo build -p xiangqi --example legal_moves
    python3 tests/pyffish_check.py [--positions 100000] [--seed 1]

Half of the positions come from random games, half from the games of
`../shared/rules/games.tsv` (or $CHUHE_SHARED), each with a few random plies
added. Both programs must name the same moves and agree on check (asked of them for
every check of ours and one in ten of the rest). Exit status
0 = all agree, 1 = some do not, 2 = the check could not run.
"""

import argparse
import os
import pathlib
import random
import re
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
MOVE = re.compile(r"([a-i])(\d+)([a-i])(\d+)")


def from_fairy(move):
    """Fairy-Stockfish counts ranks from 1, we from 0."""
    a, x, b, y = MOVE.fullmatch(move).groups()
    return f"{a}{int(x) - 1}{b}{int(y) - 1}"


def to_fairy(move):
    return f"{move[0]}{int(move[1]) + 1}{move[2]}{int(move[3]) + 1}"


def play(fen, move):
    """The FEN after a move. pyffish would take 2 ms for it."""
    board, side = fen.split()[:2]
    rows = [re.sub(r"\d", lambda digit: "." * int(digit[0]), row) for row in board.split("/")]
    grid = [list(row) for row in rows]
    a, x, b, y = MOVE.fullmatch(move).groups()
    fall, rise = 10 - int(x), 10 - int(y)
    grid[rise][ord(b) - ord("a")], grid[fall][ord(a) - ord("a")] = grid[fall][ord(a) - ord("a")], "."
    rows = [re.sub(r"\.+", lambda dots: str(len(dots[0])), "".join(row)) for row in grid]
    return f"{'/'.join(rows)} {'b' if side == 'w' else 'w'} - - 0 1"


def random_line(pf, choose, fen, plies):
    """Positions of a random game, each with its legal moves."""
    for _ in range(plies):
        moves = pf.legal_moves("xiangqi", fen, [])
        yield fen, moves
        if not moves:
            return
        fen = play(fen, choose.choice(moves))


def random_positions(pf, choose, count):
    start = pf.start_fen("xiangqi")
    while count > 0:
        for position in random_line(pf, choose, start, min(count, choose.randint(20, 300))):
            yield position
            count -= 1


def real_positions(pf, choose, count):
    folder = pathlib.Path(os.environ.get("CHUHE_SHARED", TOP.parent / "shared"))
    path = folder / "rules" / "games.tsv"
    if not path.exists():
        print(f"SKIPPED: {path} is not there; random games only", file=sys.stderr)
        yield from random_positions(pf, choose, count)
        return
    games = [line.split("\t")[11].split() for line in path.read_text().splitlines()[1:]]
    while count > 0:
        moves = choose.choice(games)
        fen = pf.start_fen("xiangqi")
        for move in moves[: choose.randrange(len(moves) + 1)]:
            fen = play(fen, to_fairy(move))
        for position in random_line(pf, choose, fen, min(count, 5)):
            yield position
            count -= 1


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--positions", type=int, default=100_000)
    arguments.add_argument("--seed", type=int, default=1)
    options = arguments.parse_args()
    try:
        import pyffish as pf
    except ImportError:
        print("pyffish is missing: pip install pyffish", file=sys.stderr)
        return 2
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", TOP / "target"))
    ours = target / "debug" / "examples" / "legal_moves"
    if not ours.exists():
        print(f"{ours} is missing: cargo build -p xiangqi --example legal_moves", file=sys.stderr)
        return 2

    choose = random.Random(options.seed)
    half = options.positions // 2
    expected = []
    for source, count in ((random_positions, options.positions - half), (real_positions, half)):
        for fen, moves in source(pf, choose, count):
            expected.append((fen, sorted(map(from_fairy, moves))))

    fens = "".join(fen + "\n" for fen, _ in expected)
    answer = subprocess.run([ours], input=fens, capture_output=True, text=True, check=True).stdout
    answers = answer.splitlines()
    wrong = checks = ended = 0
    for (fen, moves), line in zip(expected, answers, strict=True):
        said, *named = line.split()
        # Asking costs as much as the moves: where we see a check, where the
        # game has ended, and of the rest one in ten.
        if said == "check" or not moves or choose.randrange(10) == 0:
            check = "check" if pf.gives_check("xiangqi", fen, []) else "quiet"
        else:
            check = said
        checks += check == "check"
        ended += not moves
        if (said, sorted(named)) != (check, moves):
            wrong += 1
            if wrong <= 10:
                only_theirs = " ".join(sorted(set(moves) - set(named)))
                only_ours = " ".join(sorted(set(named) - set(moves)))
                print(f"{fen}\n  they: {check}, also {only_theirs}\n  we: {said}, also {only_ours}")
    distinct = len({fen.split(" -")[0] for fen, _ in expected})
    print(
        f"{len(expected)} positions ({distinct} different, {checks} in check,"
        f" {ended} without a move): {wrong} disagree"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
