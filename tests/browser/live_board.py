#!/usr/bin/env python3
"""The live pages in a real browser: boards follow the moves, clocks tick, replay, languages, reconnecting.

usage: live_board.py BASE_URL                          against a server that runs (the restart is then not tested)
       live_board.py --server 'COMMAND --listen {listen} …'    starts the server itself, kills it and starts it again;
                                                       {boot} becomes 1, then 2
Prints a line a test; exit status 1 if one fails.
"""
import json
import shlex
import signal
import socket
import subprocess
import sys
import time
import traceback
import urllib.request

from cdp import Browser


class Server:
    """A server that this test may kill."""

    def __init__(self, command):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.listen = f"127.0.0.1:{probe.getsockname()[1]}"
        self.command, self.boot, self.process = command, 0, None
        self.base = f"http://{self.listen}"

    def start(self):
        self.boot += 1
        command = self.command.replace("{listen}", self.listen).replace("{boot}", str(self.boot))
        self.process = subprocess.Popen(shlex.split(command), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait(lambda: get(self.base, "/healthz"), 60, "the server to answer")

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


def get(base, path):
    with urllib.request.urlopen(base + path, timeout=10) as answer:
        return answer.read().decode()


def api(base, path):
    return json.loads(get(base, "/api/v1/" + path))


def wait(condition, seconds, what):
    end, last = time.monotonic() + seconds, None
    while time.monotonic() < end:
        try:
            last = condition()
            if last:
                return last
        except OSError as error:
            last = error
        time.sleep(0.2)
    raise AssertionError(f"waited {seconds} s for {what} (last: {last!r})")


def live_game(base):
    """A game that is being played and was moved in a moment ago, as (round, table)."""
    def look():
        rounds = api(base, "rounds")
        if not rounds:
            return None
        playing = [p["table"] for p in api(base, f"rounds/{rounds[-1]}")["pairings"]
                   if p["table"] and api(base, f"games/{rounds[-1]}/{p['table']}")["status"]["is"] == "playing"]
        before = {t: len(api(base, f"games/{rounds[-1]}/{t}")["plies"]) for t in playing}
        time.sleep(2)
        moved = [t for t in playing if len(api(base, f"games/{rounds[-1]}/{t}")["plies"]) > before[t]]
        return (rounds[-1], moved[0]) if moved else None
    return wait(look, 90, "a game with moves")


FEN = "document.querySelector('.g xq-board').getAttribute('fen')"
LAST = "document.querySelector('.g xq-board').getAttribute('last')"
# The moves that the page holds, one after the other.
PLAYED = "document.querySelector('#moves').dataset.played.replace(/\\+/g, '')"
PLIES = "document.querySelectorAll('#moves a').length"
CURRENT = "[...document.querySelectorAll('#moves a')].findIndex(a => a.hasAttribute('aria-current')) + 1"
UP = "document.body.dataset.net === 'up'"


def open_game(test):
    test.game = live_game(test.base)
    test.browser.go(f"{test.base}/round/{test.game[0]}/table/{test.game[1]}?lang=zh")
    test.browser.until(UP, what="the stream")


def the_board_follows_the_moves(test):
    b = test.browser
    open_game(test)
    fen, plies = b.run(FEN), b.run(PLIES)
    b.until(f"{FEN} !== {json.dumps(fen)} && {PLIES} > {plies}", 40, "a move on the board")
    b.until(f"{PLAYED}.endsWith({LAST})", 5, "the last move's mark")
    b.until(f"{CURRENT} === {PLIES}", 5, "the last ply marked in the list")
    shown, recorded = b.run(PLAYED), None
    recorded = "".join(p["mv"] for p in api(test.base, "games/{}/{}".format(*test.game))["plies"])
    assert recorded.startswith(shown), f"{shown}\nis not the record's beginning\n{recorded}"
    drawn = b.run("document.querySelectorAll('.g .pc image').length")
    men = b.run(f"{FEN}.replace(/[^a-z]/gi, '').length")
    assert abs(drawn - men) <= 1, f"{drawn} pieces drawn, {men} in the FEN"
    assert "，" in b.run("document.querySelector('#say').textContent"), "the move is announced"


def clocks_tick_between_the_moves(test):
    b = test.browser
    clock = "(document.querySelector('.seat time.on') || {}).textContent"
    b.until(f"{clock} !== undefined", 20, "a running clock")
    # Readings by the number of plies: a move sets the clock anew, what changes between two moves has ticked.
    b.run(f"""window.seen = {{}}; window.watch = setInterval(() => {{
        const n = {PLIES}; (seen[n] ||= new Set()).add({clock}); }}, 50)""")
    b.until("Object.values(seen).some(readings => readings.size >= 3)", 40, "a clock that ticks between two moves")
    b.run("clearInterval(watch)")
    game = api(test.base, "games/{}/{}".format(*test.game))
    assert game["clocks"]["running"] in ("red", "black", None)


def a_reader_of_the_replay_is_not_thrown_back(test):
    b = test.browser
    open_game(test)
    b.until(f"{PLIES} >= 2", 40, "two plies")
    b.run("document.querySelector('[data-step=prev]').click()")
    b.until("!document.querySelector('[data-step=live]').hasAttribute('aria-current')", 5, "leaving the live game")
    at, plies = b.run(CURRENT), b.run(PLIES)
    fen = b.run(FEN)
    b.until(f"{PLIES} > {plies}", 40, "another move")
    assert b.run(CURRENT) == at and b.run(FEN) == fen, "the reader was moved"
    assert b.run("document.querySelector('#behind').textContent").startswith("+"), "no word of the new moves"
    b.key("Home")
    b.until(f"{FEN}.startsWith('rnbakabnr/9/1c5c1')", 5, "the start position")
    b.key("ArrowRight")
    b.until(f"{CURRENT} === 1", 5, "the first ply")
    b.run("document.querySelector('[data-step=live]').click()")
    b.until(f"{CURRENT} === {PLIES}", 5, "the game as it is now")
    b.key("f")
    b.until("document.querySelector('.g xq-board').hasAttribute('flip')", 5, "the turned board")
    first = "document.querySelector('.g .pc image').getAttribute('y')"
    b.until(f"+{first} > 300", 5, "Black's pieces below")


def the_language_is_switched_and_stays(test):
    b = test.browser
    open_game(test)
    assert b.run("document.documentElement.lang") == "zh-CN"
    chinese = b.run("document.querySelector('#moves a').firstChild.data")
    b.run("document.querySelector('a.lang').click()")
    b.until("document.documentElement.lang === 'en' && document.readyState === 'complete'", 10, "the English page")
    wxf = b.run("document.querySelector('#moves a').firstChild.data")
    assert chinese != wxf and wxf.isascii(), f"{chinese}, {wxf}"
    b.go(f"{test.base}/")
    assert b.run("document.documentElement.lang") == "en", "the choice was forgotten"
    b.go(f"{test.base}/?lang=zh")
    assert b.run("document.documentElement.lang") == "zh-CN"


def lists_and_grid_follow_too(test):
    b = test.browser
    b.go(f"{test.base}/live?show=all")
    b.until(UP, what="the stream")
    b.run("window.first = [...document.querySelectorAll('[data-tile] xq-board')].map(e => e.getAttribute('fen')).join()")
    b.until("[...document.querySelectorAll('[data-tile] xq-board')].map(e => e.getAttribute('fen')).join() !== first", 40,
            "a move in the grid")
    b.go(f"{test.base}/")
    b.until(UP, what="the stream")
    words = "[...document.querySelectorAll('[data-big]')].map(e => e.textContent).join()"
    b.run(f"window.first = {words}")
    b.until(f"{words} !== first", 60, "a change in the pairings")


def twenty_navigations_leave_one_connection(test):
    b = test.browser
    table = "/round/{}/table/{}".format(*test.game)
    for i in range(20):
        b.go(test.base + ("/", "/live", table, "/standings")[i % 4])
        b.until(UP, what="the stream")
    count = lambda: [l for l in get(test.base, "/metrics").splitlines() if l.startswith("chuhe_web_streams ")]
    wait(lambda: count() == [f"chuhe_web_streams {1 + test.other_streams}"], 20, f"one stream (now {count()})")


def pages_are_whole_without_scripts(test):
    b = test.browser
    b.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        b.go("{}/round/{}/table/{}?ply=2".format(test.base, *test.game))
        assert b.run("document.querySelectorAll('.g .pc image').length") >= 30, "the pieces"
        assert b.run(CURRENT) == 2
        assert b.run("document.querySelector('[data-step=next]').getAttribute('href')") == "?ply=3"
    finally:
        b.call("Emulation.setScriptExecutionDisabled", value=False)


def a_page_survives_the_servers_restart(test):
    if not test.server:
        print("SKIPPED: the server is not this test's to kill")
        return
    b = test.browser
    open_game(test)
    b.run("window.kept = 'the same page'")
    test.server.kill()
    b.until("document.body.dataset.net === 'down'", 10, "the page to notice")
    shown = b.run("getComputedStyle(document.querySelector('.net')).display")
    assert shown == "block", "the page does not say that it is cut off"
    test.server.start()
    b.until(UP, 40, "the stream again")
    plies = b.run(PLIES)
    b.until(f"{PLIES} !== {plies} || document.querySelector('.g').dataset.state === 'done'", 90, "the game to go on")
    assert b.run("window.kept") == "the same page", "the page was loaded anew"


def the_grid_is_cheap(test):
    b = test.browser
    b.size(1440, 900)
    b.go(f"{test.base}/live?show=all")
    b.until(UP, what="the stream")
    busy = lambda: next(m["value"] for m in b.call("Performance.getMetrics")["metrics"] if m["name"] == "TaskDuration")
    before = busy()
    time.sleep(8.5)
    boards = b.run("document.querySelectorAll('[data-tile]').length")
    nodes = b.run("document.querySelectorAll('*').length")
    print(f"    {boards} boards, {nodes} nodes: main thread busy {busy() - before:.2f} s of 8.5 s")


TESTS = [
    the_board_follows_the_moves, clocks_tick_between_the_moves, a_reader_of_the_replay_is_not_thrown_back,
    the_language_is_switched_and_stays, lists_and_grid_follow_too, twenty_navigations_leave_one_connection,
    pages_are_whole_without_scripts, a_page_survives_the_servers_restart, the_grid_is_cheap,
]


class Test:
    server, other_streams, game = None, 0, None


def passes(run, test):
    """Runs a test; a game that ends under it is no failure but a reason to take another one."""
    for attempt in range(3):
        began = time.monotonic()
        try:
            run(test)
            assert not test.browser.errors, f"errors on the page: {test.browser.errors}"
            print(f"ok      {run.__name__} ({time.monotonic() - began:.1f} s)", flush=True)
            return True
        except Exception:
            trace = traceback.format_exc()
            if test.browser.errors or attempt == 2 or not game_over(test):
                break
            print(f"        {run.__name__}: the game ended, once more", flush=True)
    test.browser.errors.clear()
    print(f"FAILED  {run.__name__}\n{trace}", flush=True)
    return False


def game_over(test):
    try:
        return test.game and api(test.base, "games/{}/{}".format(*test.game))["status"]["is"] == "finished"
    except OSError:
        return False


def main(args):
    test = Test()
    if len(args) == 2 and args[0] == "--server":
        test.server = Server(args[1])
        test.server.start()
        test.base = test.server.base
    elif len(args) == 1 and args[0].startswith("http"):
        test.base = args[0].rstrip("/")
        line = next(l for l in get(test.base, "/metrics").splitlines() if l.startswith("chuhe_web_streams "))
        test.other_streams = int(line.split()[1])
    else:
        raise SystemExit(__doc__)
    failed = 0
    try:
        with Browser() as browser:
            test.browser = browser
            browser.size(1440, 900)
            for run in TESTS:
                failed += not passes(run, test)
    finally:
        if test.server:
            test.server.kill()
    print(f"{len(TESTS) - failed} of {len(TESTS)} passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
