#!/usr/bin/env python3
"""The arbiters' pages in a real browser, against a demo venue with accounts: sign in, take up an alert, give time and
see the clock and the spectators' page change, roll back and undo, rule, two arbiters at once, print.

usage: arbiters.py PROGRAM          PROGRAM: the chuhe to run
Prints a line a test; exit status 1 if one fails.
"""
import base64
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.parse
import urllib.request

from cdp import Browser
from live_board import Server, api, get, live_game, wait

CHIEF, ARBITER, PASSWORD = "陈裁判长", "李裁判", "楚河漢界-12345"


class Second:
    """The second arbiter: a client without a browser."""

    def __init__(self, base):
        self.base, self.cookies = base, urllib.request.HTTPCookieProcessor()
        self.opener = urllib.request.build_opener(self.cookies)
        self.post("/signin", name=ARBITER, password=PASSWORD)

    def page(self, path):
        with self.opener.open(self.base + path, timeout=10) as answer:
            return answer.read().decode()

    def post(self, path, **fields):
        data = urllib.parse.urlencode(fields).encode()
        with self.opener.open(self.base + path, data, timeout=10) as answer:
            return answer.read().decode()

    def confirm(self, path):
        """Picks a remedy by its link and confirms it."""
        form = self.page(path).split('id="confirm"')[1].split("</form>")[0]
        fields = dict(re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)">', form))
        return self.post(path.split("?")[0], **fields)


def click(b, selector):
    b.run(f"document.querySelector({json.dumps(selector)}).click()")


def loaded(b, what="the page", seconds=15):
    b.until("document.readyState === 'complete' && !!document.querySelector('main')", seconds, what)


def confirm(b):
    """Confirms what the bar at the foot says."""
    b.until("!!document.querySelector('#confirm button:not([disabled])')", 5, "the button to wake up")
    b.run("window.leaving = 1")
    click(b, "#confirm button")
    b.until("!window.leaving && document.readyState === 'complete'", 15, "the answer")


def pick(b, test, table, query):
    b.go(f"{test.base}/arbiter/table/{table}?{query}")
    loaded(b)
    return b.run("(document.querySelector('#confirm') || {}).innerText || ''")


def game(test, table):
    return api(test.base, f"games/{test.round}/{table}")


def a_table(test, but=()):
    """A table whose game is being played and not about to end."""
    def look():
        test.round = api(test.base, "rounds")[-1]
        tables = [p["table"] for p in api(test.base, f"rounds/{test.round}")["pairings"] if p["table"]]
        games = [(len(game(test, t)["plies"]), t) for t in tables if t not in but and game(test, t)["status"]["is"] == "playing"]
        games = [(plies, t) for plies, t in games if plies >= 3]
        return min(games)[1] if games else None
    return wait(look, 120, "a game that is played")


def nobody_gets_in_without_signing_in(test):
    b = test.browser
    b.go(f"{test.base}/arbiter?lang=zh")
    loaded(b)
    assert "请登录" in b.run("document.body.innerText")
    b.run(f"document.querySelector('#name').value = {json.dumps(CHIEF)}; document.querySelector('#password').value = 'wrong-one'")
    b.run("document.querySelector('.sheetform').submit()")
    b.until("document.body.innerText.includes('姓名或密码不对')", 15, "the refusal")
    b.run(f"document.querySelector('#name').value = {json.dumps(CHIEF)}; document.querySelector('#password').value = {json.dumps(PASSWORD)}")
    b.run("document.querySelector('.sheetform').submit()")
    b.until("location.pathname.startsWith('/arbiter') && !!document.querySelector('.counts')", 15, "the desk")


def every_table_is_a_tile_in_three_densities(test):
    b = test.browser
    for density in ("d1", "d2", "d3"):
        b.go(f"{test.base}/arbiter/tables?d={density}")
        loaded(b)
        assert b.run("document.querySelectorAll('.tile').length") == 4, density
        assert b.run(f"!!document.querySelector('.tg0.{density}')")


def two_minutes_more_reach_the_clock_and_the_spectators(test):
    b = test.browser
    table = a_table(test)
    said = pick(b, test, table, "do=add&side=red&ms=120000")
    assert "红方" in said and "→" in said, said
    before = game(test, table)["clocks"]["red_ms"]
    confirm(b)
    b.until("document.body.innerText.includes('红方+2分')", 10, "the decision in the table's log")
    wait(lambda: game(test, table)["clocks"]["red_ms"] > before + 100_000, 20, "two minutes more on the clock")
    b.until("!document.querySelector('#pending')", 15, "the clock's acknowledgement")
    b.go(f"{test.base}/round/{test.round}/table/{table}")
    clock = "document.querySelector('.seat[data-side=red] time').textContent"
    minutes = "(t => t.split(':').reduce((all, part) => all * 60 + +part, 0))"
    b.until(f"{minutes}({clock}) * 1000 > {before + 90_000}", 15, "the spectators' clock")


def the_clocks_stop_and_run_on(test):
    b = test.browser
    table = a_table(test)
    pick(b, test, table, "do=pause")
    confirm(b)
    wait(lambda: game(test, table)["clocks"]["running"] is None, 20, "clocks that stand")
    pick(b, test, table, "do=resume")
    confirm(b)
    wait(lambda: game(test, table)["clocks"]["running"] is not None, 20, "clocks that run")


def a_roll_back_is_recorded_and_undone(test):
    b = test.browser
    table = a_table(test)
    pick(b, test, table, "do=pause")
    confirm(b)
    plies = b.run("document.querySelectorAll('.reclist .mv a.pl').length")
    said = pick(b, test, table, f"do=back&ply={plies}")
    assert "回退" in said, said
    confirm(b)
    b.until("document.querySelector('.dec').innerText.includes('回退')", 10, "the decision")
    b.run("[...document.querySelectorAll('.dec li')].find(li => li.innerText.includes('回退')).querySelector('a.btn').click()")
    b.until("location.search.includes('do=undo')", 10, "the undo to be picked")
    loaded(b)
    confirm(b)
    b.until("document.querySelector('.dec').innerText.includes('已撤销')", 10, "the undone decision")
    pick(b, test, table, "do=resume")
    confirm(b)


def an_alert_is_taken_up_and_its_remedy_ends_the_game(test):
    b = test.browser
    table = a_table(test)
    pick(b, test, table, "do=misconduct&side=black&what=phone")
    confirm(b)
    alerts = lambda: [a for a in json.loads(test.second.page("/api/v1/alerts"))["open"] if a["table"] == table and a["code"] == "phone"]
    alert = wait(alerts, 10, "the alert")[0]
    b.go(f"{test.base}/arbiter")
    loaded(b)
    b.until(f"!!document.querySelector('#alert-{alert['id']} form button')", 10, "the alert's card")
    b.run("window.leaving = 1")
    click(b, f"#alert-{alert['id']} form button")
    b.until("!window.leaving && document.readyState === 'complete'", 15, "the answer")
    assert CHIEF in b.run(f"document.querySelector('#alert-{alert['id']}').innerText"), "who has it"
    loss = next(i for i, r in enumerate(alert["remedies"]) if "红胜" in r["words"][0])
    pick(b, test, table, f"alert={alert['id']}&choice={loss}")
    confirm(b)
    wait(lambda: game(test, table)["status"]["is"] == "finished", 10, "the end")
    assert game(test, table)["status"]["outcome"]["result"] == "red_wins"
    test.ended = table
    b.go(f"{test.base}/round/{test.round}/table/{table}")
    assert "红胜" in b.run("document.body.innerText"), "the spectators see it"


def a_repetition_loss_is_confirmed(test):
    b = test.browser
    table = a_table(test, but=(test.ended,))
    said = pick(b, test, table, "do=result&result=black_wins&ending=repetition")
    assert "黑胜" in said and "循环" in said, said
    confirm(b)
    wait(lambda: game(test, table)["status"]["is"] == "finished", 10, "the end")
    outcome = game(test, table)["status"]["outcome"]
    assert (outcome["result"], outcome["ending"]) == ("black_wins", "repetition"), outcome
    test.ruled = table


def the_second_of_two_arbiters_sees_what_the_first_decided(test):
    b = test.browser
    table = a_table(test, but=(test.ended, test.ruled))
    pick(b, test, table, "do=add&side=black&ms=60000")
    test.second.confirm(f"/arbiter/table/{table}?do=warn&side=red&what=disturbance")
    confirm(b)
    said = b.run("document.querySelector('.hind').innerText")
    assert ARBITER in said and "警告" in said, said
    assert "+1分" in b.run("document.querySelector('#confirm').innerText"), "what was chosen is still there"
    assert "黑方+1分" not in b.run("document.querySelector('.dec').innerText"), "and was not done"
    confirm(b)
    b.until("document.querySelector('.dec').innerText.includes('黑方+1分')", 10, "the decision after all")


def the_timeline_shows_hands_and_presses_around_any_ply(test):
    b = test.browser
    table = a_table(test, but=(test.ended, test.ruled))
    b.go(f"{test.base}/arbiter/table/{table}")
    loaded(b)
    assert b.run("!!document.querySelector('svg.tl')"), "the last minute on the table's page"
    b.run("document.querySelector('.reclist a.pl').click()")
    b.until("location.pathname.endsWith('/timeline')", 10, "the timeline around the first ply")
    loaded(b)
    said = b.run("document.querySelector('.tll').innerText")
    assert all(word in said for word in ("提起", "落下", "按钟", "识别第1着")), said
    for mark in ("lift", "place", "press"):
        assert b.run(f"document.querySelectorAll('.mk.{mark}').length") > 0, mark
    times = b.run("[...document.querySelectorAll('.tll time')].map(e => e.textContent)")
    assert times == sorted(times, reverse=True), "the latest first"


def own_tables_come_first_and_are_remembered(test):
    b = test.browser
    table = a_table(test, but=(test.ended, test.ruled))
    b.go(f"{test.base}/arbiter/tables")
    loaded(b)
    b.run(f"document.querySelector('.walk input[name=tables]').value = '{table}'; window.leaving = 1")
    click(b, ".walk form button")
    b.until("!window.leaving && document.readyState === 'complete'", 15, "the answer")
    tiles = lambda: b.run("[...document.querySelectorAll('[data-tile-of]')].map(t => +t.dataset.tileOf)")
    assert tiles() == [table], tiles()
    b.go(f"{test.base}/arbiter/tables?of=all")
    loaded(b)
    assert len(tiles()) == 4
    other = a_table(test, but=(table, test.ended, test.ruled))
    test.second.confirm(f"/arbiter/table/{other}?do=misconduct&side=red&what=disturbance")
    b.go(f"{test.base}/arbiter")
    loaded(b)
    there = lambda: b.run("[...document.querySelectorAll('[data-alert] h2')].map(h => h.innerText).join()")
    assert f"{other}台" not in there(), "somebody else walks there"
    b.go(f"{test.base}/arbiter?of=all")
    loaded(b)
    assert f"{other}台" in there()
    b.run("document.querySelector('.walk input[name=tables]').value = ''; window.leaving = 1")
    click(b, ".walk form button")
    b.until("!window.leaving && document.readyState === 'complete'", 15, "the answer")


def the_journal_tells_every_act_page_by_page_and_who_was_not_let_in(test):
    b = test.browser
    b.go(f"{test.base}/arbiter/journal?kind=account")
    loaded(b)
    said = b.run("document.querySelector('.jr').innerText")
    assert "登录被拒" in said and "登录" in said and CHIEF in said, said
    b.go(f"{test.base}/arbiter/journal")
    loaded(b)
    first = b.run("[...document.querySelectorAll('.jr tr[id]')].map(r => +r.id.slice(3))")
    assert first == sorted(first, reverse=True)
    if b.run("!!document.querySelector('#older')"):
        b.run("window.leaving = 1")
        click(b, "#older")
        b.until("!window.leaving && document.readyState === 'complete'", 15, "the next page")
        older = b.run("[...document.querySelectorAll('.jr tr[id]')].map(r => +r.id.slice(3))")
        assert older and max(older) < min(first), "older ones, each once"


def the_journal_names_everybody_and_a_sheet_prints_on_one_page(test):
    b = test.browser
    b.go(f"{test.base}/arbiter/journal?by={urllib.parse.quote(ARBITER)}")
    loaded(b)
    rows = b.run("[...document.querySelectorAll('.jr tr td:nth-child(2)')].slice(0, 50).map(e => e.innerText).join()")
    assert ARBITER in rows and CHIEF not in rows, rows
    b.go(f"{test.base}/arbiter/journal?table={test.ended}")
    loaded(b)
    click(b, ".jr a[href^='/arbiter/ruling/']")
    b.until("location.pathname.startsWith('/arbiter/ruling/')", 10, "the sheet")
    loaded(b)
    pdf = base64.b64decode(b.call("Page.printToPDF", printBackground=True, preferCSSPageSize=True)["data"])
    pages = len(re.findall(rb"/Type\s*/Page[^s]", pdf))
    assert pages == 1, f"{pages} pages"
    if test.keep:
        (test.keep / "ruling.pdf").write_bytes(pdf)


def a_broken_board_is_exchanged_by_its_number_and_that_is_undone(test):
    b = test.browser
    table = a_table(test)
    b.go(f"{test.base}/devices/{table}")
    loaded(b)
    before = b.run("document.querySelector('.dswap input[name=board]').value")
    click(b, ".dswap summary")
    b.run("document.querySelector('.dswap input[name=board]').value = 'a1b2c3d4'")
    if test.keep:
        b.shot(test.keep / "exchange-form.png")
    click(b, ".dswap button")
    b.until("!!document.querySelector('button[name=sure]')", 15, "to be asked once more")
    said = b.run("document.querySelector('main').innerText")
    assert before in said and "00000000a1b2c3d4" in said and "没有网关见到它" in said and "对局进行中" in said, said
    if test.keep:
        b.shot(test.keep / "exchange-sure.png")
    click(b, "button[name=sure]")
    there = "(document.querySelector('.dswap input[name=board]') || {}).value"
    b.until(f"{there} === '00000000a1b2c3d4'", 15, "the other board on the table")
    b.go(f"{test.base}/arbiter/table/{table}")
    loaded(b)
    undo = b.run("[...document.querySelectorAll('.dec li')].find(li => li.innerText.includes('a1b2c3d4')).querySelector('.btn').getAttribute('href')")
    b.go(test.base + undo)
    loaded(b)
    confirm(b)
    b.go(f"{test.base}/devices/{table}")
    loaded(b)
    b.until(f"{there} === {json.dumps(before)}", 15, "the first board again")


def a_viewer_gets_no_further_and_signing_out_ends_it(test):
    b = test.browser
    b.go(f"{test.base}/account")
    loaded(b)
    b.run("window.leaving = 1")
    click(b, "form[action='/signout'] button")
    b.until("!window.leaving && location.pathname === '/signin'", 10, "the way out")
    b.go(f"{test.base}/arbiter/tables")
    assert "请登录" in b.run("document.body.innerText")


TESTS = [
    nobody_gets_in_without_signing_in, every_table_is_a_tile_in_three_densities,
    two_minutes_more_reach_the_clock_and_the_spectators, the_clocks_stop_and_run_on, a_roll_back_is_recorded_and_undone,
    an_alert_is_taken_up_and_its_remedy_ends_the_game, a_repetition_loss_is_confirmed,
    the_second_of_two_arbiters_sees_what_the_first_decided, the_timeline_shows_hands_and_presses_around_any_ply,
    own_tables_come_first_and_are_remembered, the_journal_tells_every_act_page_by_page_and_who_was_not_let_in,
    the_journal_names_everybody_and_a_sheet_prints_on_one_page, a_broken_board_is_exchanged_by_its_number_and_that_is_undone,
    a_viewer_gets_no_further_and_signing_out_ends_it,
]


class Test:
    round, ended, ruled, keep = 1, None, None, None


def main(program, keep=None):
    test, failed = Test(), 0
    test.keep = pathlib.Path(keep) if keep else None
    with tempfile.TemporaryDirectory() as data:
        for name, role in ((CHIEF, "chief_arbiter"), (ARBITER, "arbiter")):
            subprocess.run([program, "account", "add", name, "--role", role, "--data", data],
                           input=PASSWORD + "\n", text=True, check=True, stdout=subprocess.DEVNULL)
        # Slow enough that a game lasts as long as what is done to it.
        server = Server(f"{program} demo --tables 4 --rounds 9 --speed 3 --listen {{listen}} --data {data}")
        server.start()
        test.base = server.base
        try:
            test.second = Second(test.base)
            with Browser() as browser:
                test.browser = browser
                browser.size(390, 844, 2, True)
                for run in TESTS:
                    began = time.monotonic()
                    try:
                        run(test)
                        assert not browser.errors, f"errors on the page: {browser.errors}"
                        print(f"ok      {run.__name__} ({time.monotonic() - began:.1f} s)", flush=True)
                    except Exception:
                        failed += 1
                        browser.errors.clear()
                        print(f"FAILED  {run.__name__}\n{traceback.format_exc()}", flush=True)
                        if test.keep:
                            browser.shot(test.keep / f"failed-{run.__name__}.png")
        finally:
            server.kill()
    print(f"{len(TESTS) - failed} of {len(TESTS)} passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
