#!/usr/bin/env python3
"""Screenshots of every page at phone, desktop and hall size, in both languages and themes, to be looked at.

usage: shots.py BASE_URL FOLDER [NAME-PART]      e.g. shots.py http://127.0.0.1:8090 /tmp/shots game
"""
import json
import pathlib
import sys
import time
import urllib.request

from cdp import Browser

SIZES = {"phone": (390, 844, True), "desk": (1440, 900, False), "hall": (1920, 1080, False)}
PAGES = {
    "home": ("/", ("phone", "desk")), "round": ("/round/2", ("phone", "desk")), "live": ("/live", ("phone", "desk")),
    "live-all": ("/live?show=all", ("desk",)), "game": ("/round/3/table/3", ("phone", "desk")),
    "game-done": ("/round/1/table/3", ("phone", "desk")), "game-pend": ("/round/3/table/8", ("phone",)),
    "game-ply": ("/round/3/table/3?ply=20", ("phone",)), "standings": ("/standings", ("phone", "desk")),
    "player": ("/player/5", ("phone", "desk")), "search": ("/search?q=选手甲", ("phone",)),
    "arbiter": ("/arbiter", ("phone", "desk")), "tables": ("/arbiter/tables", ("phone", "desk")),
    "tables-dense": ("/arbiter/tables?d=d1&order=number", ("phone",)), "tables-roomy": ("/arbiter/tables?d=d3", ("phone",)),
    "table": ("/arbiter/table/12", ("phone", "desk")), "table-rep": ("/arbiter/table/8", ("phone", "desk")),
    "table-limit": ("/arbiter/table/7", ("desk",)), "table-confirm": ("/arbiter/table/12?alert=12&choice=0", ("phone", "desk")),
    "table-enter": ("/arbiter/table/3?do=enter&from=a9", ("phone",)), "journal": ("/arbiter/journal", ("phone", "desk")),
    "timeline": ("/arbiter/table/5/timeline?ply=60", ("phone", "desk")), "table-tap": ("/arbiter/table/8?tap=37", ("phone",)),
    "ruling": ("/arbiter/ruling/34", ("desk",)), "account": ("/account", ("phone",)), "signin": ("/signin", ("phone",)), "screen": ("/screen", ("hall",)), "screen-boards": ("/screen?p=2", ("hall",)),
    "screen-ranks": ("/screen?p=6", ("hall",)), "missing": ("/nowhere", ("phone",)), "embed": ("/embed/3/3", ("phone",)),
    "share": ("/round/3/table/3/share", ("phone", "desk")), "hidden": ("/live?show=all&results=hide", ("phone",)),
    "hidden-game": ("/round/1/table/3?results=hide", ("phone",)), "shown-again": ("/?results=show", ("phone",)),
    "broadcast": ("/broadcast?round=3&table=3", ("phone", "desk")), "help": ("/help", ("phone", "desk")),
    "help-hall": ("/help/hall", ("desk",)),
    "overlay": ("/overlay/3/3", ("hall",)), "overlay-strip": ("/overlay/3/3?strip", ("hall",)),
}

# Of a team event: `cargo run -p web --example office -- --teams --rounds 3`.
TEAM_PAGES = {
    "team-home": ("/", ("phone", "desk")), "team-round": ("/round/3", ("phone", "desk")),
    "teams": ("/teams", ("phone", "desk")), "team": ("/team/3", ("phone", "desk")),
    "match": ("/round/3/match/1", ("phone", "desk")), "team-standings": ("/standings", ("phone",)),
    "team-screen": ("/screen", ("hall",)), "team-player": ("/player/305", ("phone",)),
}


def main(base, folder, part=""):
    folder = pathlib.Path(folder)
    with urllib.request.urlopen(f"{base}/api/v1/teams", timeout=10) as answer:
        pages = TEAM_PAGES if json.load(answer) else PAGES
    folder.mkdir(parents=True, exist_ok=True)
    with Browser() as browser:
        for name, (path, sizes) in pages.items():
            for size in sizes:
                width, height, mobile = SIZES[size]
                for lang in ("zh", "en"):
                    for dark in (False, True):
                        file = f"{name}-{size}-{lang}-{'dark' if dark else 'light'}.png"
                        if part not in file:
                            continue
                        browser.size(width, height, 2 if mobile else 1, mobile, dark)
                        browser.go(f"{base}{path}{'&' if '?' in path else '?'}lang={lang}")
                        time.sleep(0.7)
                        browser.shot(folder / file)
        for error in browser.errors:
            print("page error:", error)


if __name__ == "__main__":
    main(*sys.argv[1:])
