#!/usr/bin/env python3
"""The organiser's desk in a real browser, from an empty folder to the prize list, without a board: the first account, an
Excel sheet with a mistake, settings, draw, pairings, results by hand at the desk and on a phone at the table, a result of two
rounds ago corrected, a step taken back, standings, prizes, the exhibition, and what is printed, read back out of the PDF.

usage: desk.py PROGRAM [--shots FOLDER] [--pictures]
    PROGRAM     the chuhe to run
    --shots     keeps a screenshot of every step there, and the printed PDFs, to be looked at
    --pictures  takes the handbook's pictures anew (server/web/assets/help); without it the test says which are out of date
Prints a line a test; exit status 1 if one fails.
"""
import base64
import html
import io
import json
import pathlib
import shlex
import subprocess
import sys
import tempfile
import time
import traceback
import zipfile

from cdp import Browser
from live_board import Server, wait, get

PICTURES = pathlib.Path(__file__).parents[2] / "server/web/assets/help"
TITLE = "望川县新春象棋赛"
# Mean difference of a picture from the page, of 255, above which it no longer shows what it should.
STALE = 6


def workbook(rows):
    """An Excel file as Excel itself would save it, at its plainest."""
    def cell(column, row, text):
        return f'<c r="{chr(65 + column)}{row}" t="inlineStr"><is><t>{html.escape(text)}</t></is></c>'
    lines = "".join(f'<row r="{at}">' + "".join(cell(c, at, text) for c, text in enumerate(row) if text) + "</row>"
                    for at, row in enumerate(rows, 1))
    main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    files = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types"><Default Extension="rels" ContentType="application/vnd.'
        f'openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="{kind}.sheet.main+xml"/>'
        f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{kind}.worksheet+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" Type="{office}/officeDocument" '
        'Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook {main} xmlns:r="{office}"><sheets><sheet name="报名表" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" '
        f'Type="{office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f"<worksheet {main}><sheetData>{lines}</sheetData></worksheet>",
    }
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, '<?xml version="1.0" encoding="UTF-8"?>' + text)
    return made.getvalue()


def entries(born):
    """Two teams of three and four single players; the last one's date of birth is `born`."""
    rows = [["望川县新春象棋赛 报名表"], ["队名", "单位", "姓名", "性别", "出生日期", "电话", "领队"]]
    for team, names in (("东山队", "钱守田 孙立秋 李望山"), ("西河队", "周远帆 吴一舟 郑小满")):
        for at, name in enumerate(names.split()):
            rows.append([team if at == 0 else "", "本县", name, "男", "1988-04-12", "13800000000", "王领队" if at == 0 else ""])
    for name in "冯春晓 陈知夏 褚云飞 卫长青".split():
        rows.append(["个人", "南湖棋社", name, "女", "1990-05", "", ""])
    rows[-1][4] = born
    return workbook(rows)


class Desk:
    """The browser at the desk, and what it keeps of it."""

    def __init__(self, browser, base, shots, retake):
        self.b, self.base, self.shots, self.retake, self.taken, self.stale = browser, base, shots, retake, {}, []

    def open(self, path):
        self.b.go(self.base + path)

    def text(self):
        return self.b.run("document.body.innerText")

    def fill(self, **values):
        """Types into the fields of these names."""
        for name, value in values.items():
            self.b.run(f"""(() => {{ const field = document.querySelector('main [name="{name}"]');
                field.value = {json.dumps(value)}; field.dispatchEvent(new Event('input', {{bubbles: true}})); }})()""")

    def press(self, selector, seconds=20):
        """Presses a button that sends a form, and waits for the page that answers."""
        self.b.run("window.leaving = 1")
        self.b.run(f"document.querySelector({json.dumps(selector)}).click()")
        self.b.until("!window.leaving && document.readyState === 'complete'", seconds, f"the answer to {selector}")

    def choose_file(self, bytes_, name="报名表.xlsx"):
        data = base64.b64encode(bytes_).decode()
        self.b.run(f"""(() => {{ const raw = Uint8Array.from(atob('{data}'), c => c.charCodeAt(0));
            const list = new DataTransfer(); list.items.add(new File([raw], {json.dumps(name)}));
            document.querySelector('input[type=file]').files = list.files; }})()""")

    def shot(self, name):
        if self.shots:
            self.b.shot(self.shots / f"{name}.png")

    def picture(self, name, width=1180, height=640):
        """A picture of the handbook: the page as it is now."""
        self.b.size(width, height)
        self.b.run("window.scrollTo(0, 0)")
        data = self.b.call("Page.captureScreenshot", format="webp", quality=45)["data"]
        self.b.size(1366, 768)
        kept = PICTURES / f"{name}.webp"
        if self.retake:
            kept.write_bytes(base64.b64decode(data))
        elif not kept.exists() or self.difference(data, base64.b64encode(kept.read_bytes()).decode()) > STALE:
            self.stale.append(name)

    def difference(self, one, other):
        """The mean difference of two pictures, of 255; 255 if they are of different sizes."""
        return self.b.run(f"""(async () => {{
            const pixels = async (data) => {{
                const raw = Uint8Array.from(atob(data), c => c.charCodeAt(0));
                const bitmap = await createImageBitmap(new Blob([raw], {{type: 'image/webp'}}));
                const canvas = new OffscreenCanvas(bitmap.width, bitmap.height), context = canvas.getContext('2d');
                context.drawImage(bitmap, 0, 0);
                return context.getImageData(0, 0, bitmap.width, bitmap.height); }};
            const [a, b] = [await pixels('{one}'), await pixels('{other}')];
            if (a.width !== b.width || a.height !== b.height) return 255;
            let sum = 0;
            for (let at = 0; at < a.data.length; at++) sum += Math.abs(a.data[at] - b.data[at]);
            return sum / a.data.length * 4 / 3; }})()""")

    def printed(self, path, pages=None):
        """A document as the printer gets it, as text."""
        self.open(path)
        pdf = base64.b64decode(self.b.call("Page.printToPDF", preferCSSPageSize=True, printBackground=True)["data"])
        name = path.strip("/").replace("/", "-").replace("?", "-")
        folder = self.shots or pathlib.Path(tempfile.gettempdir())
        file = folder / f"{name}.pdf"
        file.write_bytes(pdf)
        text = subprocess.run(["pdftotext", "-layout", str(file), "-"], capture_output=True, check=True, text=True).stdout
        if not self.shots:
            file.unlink()
        got = text.count("\f")
        assert pages is None or got == pages, f"{path}: {got} pages instead of {pages}"
        return text


def the_first_account_is_made_and_the_event_opened(desk):
    desk.open("/setup?lang=zh")
    desk.fill(name="陈裁判长", password="楚河漢界-12345")
    desk.press("main form button")
    desk.open("/desk")
    desk.fill(title=TITLE, rounds="5")
    desk.shot("01-open")
    desk.press("main form button")
    assert "规程" in desk.text()


def the_settings_are_filled_in(desk):
    b = desk.b
    desk.fill(organisers="主办：望川县体育中心\n承办：望川县象棋协会", officials="裁判长：陈裁判长(国家级)\n编排长：林编排",
              venues="比赛：县文化馆", contacts="报名：王老师 0816-0000000", fee_team="300", fee_individual="50",
              prizes="名次：个人名次：500 300 200\n团体：团体名次：600 400", checklist="免责书")
    assert b.run("document.querySelector('main [name=system]').value") == "swiss"
    desk.shot("02-settings")
    desk.picture("settings")
    desk.press("main form.wide button.btn-1")
    assert "望川县体育中心" in b.run("document.querySelector('main [name=organisers]').value")


def an_excel_sheet_is_imported_after_its_mistake_is_mended(desk):
    b = desk.b
    desk.open("/desk/import")
    desk.choose_file(entries("去年春天"))
    desk.press("main aside form button")
    said = desk.text()
    assert "读不懂的地方" in said and "12" in said and "出生" in said and "去年春天" in said, said
    desk.shot("03-import")
    desk.picture("import")
    desk.open("/desk/import")
    desk.choose_file(entries("1991-06"))
    desk.press("main aside form button")
    assert "读不懂的地方" not in desk.text()
    desk.press("form[action='/desk/import/apply'] button")
    assert b.run("document.querySelectorAll('.scroll .gd tbody tr').length") == 6
    # A name was written wrongly: it is amended, and the step taken back, and done again.
    desk.open("/desk/entries?no=6")
    for _ in range(2):
        desk.fill(p0_name="卫常青")
        desk.press("form:has([name=do][value=amend]) button.btn-1")
        assert "卫常青" in desk.text()
        if _ == 0:
            desk.press(".side .ft form button")
            desk.open("/desk/entries?no=6")
            assert "卫长青" in desk.text() and "卫常青" not in desk.text()


def fees_are_paid_and_everybody_checks_in(desk):
    for no in range(1, 7):
        desk.open(f"/desk/entries?no={no}")
        desk.fill(receipt=f"{no:03}")
        desk.press("form:has([name=do][value=pay]) button")
        desk.press("form:has([name=do][value=here]) button")
    desk.open("/desk/entries?no=1")
    desk.shot("04-entries")
    desk.picture("entries")
    assert "800 / 800 元" in desk.text()
    assert "应缴 800 元" in desk.printed("/print/fees", 1)


def the_numbers_are_drawn(desk):
    desk.open("/desk/draw")
    desk.fill(seed="20260216")
    desk.press("button[value=computer]")
    desk.shot("05-draw")
    assert desk.b.run("document.querySelectorAll('.scroll .gd tbody tr').length") == 10
    record = desk.printed("/print/draw", 1)
    assert "卫常青" in record and "10号" in record, record
    assert "秩 序 册" in desk.printed("/print/booklet") or "秩序册" in desk.printed("/print/booklet")


def pair_and_start(desk):
    desk.open("/desk/pairing")
    desk.press("button[value=draft]")
    no = desk.b.run("document.querySelector('h1').innerText").strip("第轮对阵")
    if no == "2":
        desk.shot("06-pairing")
        desk.picture("pairing")
    desk.press("form:has([name=do][value=publish]) button")
    if no == "2":
        desk.open("/?lang=zh")
        desk.picture("player", 390, 720)
        desk.open("/screen?lang=zh")
        desk.picture("screen", 1280, 720)
        sheet = desk.printed("/print/pairings/2", 1)
        assert "第2轮对阵表" in sheet and "卫常青" in sheet, sheet
        assert "第2轮" in desk.printed("/print/slips/2", 1)
    desk.open("/desk/pairing")
    desk.press("button[value=start]")
    return int(no)


def enter_all(desk, keys):
    """Types one digit a table, as fast as a hand does."""
    b = desk.b
    desk.open("/desk/results")
    b.run("document.querySelector('input.key').focus()")
    tables = b.run("document.querySelectorAll('input.key').length")
    for key in keys[:tables]:
        b.call("Input.insertText", text=key)
    typed = b.run("[...document.querySelectorAll('input.key')].map(box => box.value).join('')")
    assert typed == keys[:tables], "the cursor moves on by itself"
    return tables


def results_are_typed_at_the_desk(desk):
    assert pair_and_start(desk) == 1
    assert enter_all(desk, "12312") == 5
    desk.shot("07-results")
    desk.picture("results")
    desk.press("button[form=many]")
    assert "本轮已结束" in desk.text()
    results = desk.printed("/print/results/1", 1)
    assert results.count("2–0") == 2 and results.count("1–1") == 2 and results.count("0–2") == 1, results


def a_result_is_entered_on_a_phone_at_the_table(desk):
    b = desk.b
    assert pair_and_start(desk) == 2
    b.size(390, 844, 2, True)
    try:
        desk.open("/arbiter/table/1")
        assert b.run("location.pathname") == "/slip/1", "a table without board and clock has its slip"
        assert b.run("document.documentElement.scrollWidth") <= 390, "fits the phone"
        desk.fill(red="1")
        desk.shot("08-slip")
        desk.picture("slip", 390, 720)
        desk.press("button[name=key][value='1']")
        assert b.run("document.querySelectorAll('.slipline').length") == 5
        assert "2–0" in b.run("document.querySelectorAll('.slipline')[4].innerText")
    finally:
        b.size(1366, 768)
    enter_all(desk, "3213")
    desk.press("button[form=many]")
    assert "本轮已结束" in desk.text()


def a_result_of_two_rounds_ago_is_corrected(desk):
    b = desk.b
    assert pair_and_start(desk) == 3
    enter_all(desk, "21321")
    desk.press("button[form=many]")
    before = desk.printed("/print/standings/3", 1)
    assert "第1版" in before
    desk.open("/desk/results?round=1&table=1")
    b.run("document.querySelector('[name=result][value=draw]').checked = true")
    desk.fill(why="成绩条抄错", ending="agreement")
    desk.shot("09-correct")
    desk.press("form[action='/desk/results/one'] button")
    after = desk.printed("/print/standings/3", 1)
    assert "第2版" in after and after != before
    assert "第1版" in desk.printed("/print/standings/3?version=1", 1), "what was posted prints as it was posted"
    desk.open("/desk/history")
    assert "改判" in desk.text() and "成绩条抄错" in desk.text()


def the_event_is_played_to_its_end(desk):
    for keys in ("12121", "31213"):
        pair_and_start(desk)
        enter_all(desk, keys)
        desk.press("button[form=many]")
    desk.open("/desk/standings")
    desk.shot("10-standings")
    desk.picture("standings")
    assert "第5轮后名次" in desk.text() and "东山队" in desk.text()
    desk.open("/desk/pairing")
    assert not desk.b.run("!!document.querySelector('button[value=draft]')"), "five rounds are played"


def prizes_and_the_final_book_are_printed(desk):
    desk.open("/desk/prizes")
    desk.shot("11-prizes")
    desk.picture("prizes")
    assert "合计 2000 元" in desk.text(), desk.text()
    prizes = desk.printed("/print/prizes", 1)
    assert "领奖签收表" in prizes and "奖金合计 2000 元" in prizes and "西河队" in prizes, prizes
    book = desk.printed("/print/final", 4)
    assert "成绩总表" in book and "裁判长" in book and "个人名次" in book
    assert desk.printed("/print/certificates").count("\f") >= 3
    for path, pages in (("/print/tables", 5), ("/print/placards", 10), ("/print/badges", None), ("/print/scores", 1),
                        ("/print/teams/5", 1), ("/print/scores/blank", 1)):
        assert desk.printed(path, pages).strip(), path


def the_exhibition_beside_it_pays_its_winners(desk):
    desk.open("/desk/simul")
    desk.fill(masters="甲大师\n乙大师", when="2月20日 13:30 广场", fee="50", win="100", draw="50")
    desk.press("form:has([name=do][value=announce]) button")
    for name in ("爱好者甲", "爱好者乙", "爱好者丙"):
        desk.fill(name=name)
        desk.press("form:has([name=do][value=enter]) button")
    desk.press("form:has([name=no][value='1']) button[value='胜']")
    desk.press("form:has([name=no][value='2']) button[value='和']")
    desk.shot("12-simul")
    text = desk.printed("/print/simul", 2)
    assert "甲大师" in text and "爱好者丙" in text and "奖金合计 100 元" in text, text


def the_handbook_shows_what_is_there(desk):
    for lang in ("zh", "en"):
        for page in ("organiser", "pairing", "arbiter", "player", "hall"):
            desk.open(f"/help/{page}?lang={lang}")
            desk.b.run("[...document.images].forEach(image => { image.loading = 'eager'; })")
            desk.b.until("[...document.images].every(image => image.complete && image.naturalWidth > 100)", 10,
                         f"the pictures of {page} {lang}")
    desk.open("/help/pairing?lang=zh")
    desk.shot("13-help")
    assert desk.b.run("document.images.length") >= 3
    size = sum(file.stat().st_size for file in PICTURES.glob("*.webp"))
    assert size < 600_000, f"{size} bytes of pictures"
    assert not desk.stale, f"out of date, take them anew with --pictures: {', '.join(desk.stale)}"


TESTS = [
    the_first_account_is_made_and_the_event_opened, the_settings_are_filled_in,
    an_excel_sheet_is_imported_after_its_mistake_is_mended, fees_are_paid_and_everybody_checks_in, the_numbers_are_drawn,
    results_are_typed_at_the_desk, a_result_is_entered_on_a_phone_at_the_table, a_result_of_two_rounds_ago_is_corrected,
    the_event_is_played_to_its_end, prizes_and_the_final_book_are_printed, the_exhibition_beside_it_pays_its_winners,
    the_handbook_shows_what_is_there,
]


def main(program, *options):
    options = list(options)
    shots = pathlib.Path(options[options.index("--shots") + 1]) if "--shots" in options else None
    if shots:
        shots.mkdir(parents=True, exist_ok=True)
    passed = 0
    with tempfile.TemporaryDirectory() as data, Browser() as browser:
        server = Server(f"{program} serve --config {shlex.quote(data + '/chuhe.toml')}")
        # The broker on a port of its own: gateways have none to come from.
        broker = server.listen.rsplit(":", 1)[0] + ":0"
        pathlib.Path(data, "chuhe.toml").write_text(
            f'listen = "{server.listen}"\ndata = "data"\nvenue = "desk"\n[broker]\nembedded = "{broker}"\n')
        server.start()
        try:
            browser.size(1366, 768)
            desk = Desk(browser, server.base, shots, "--pictures" in options)
            for test in TESTS:
                name, begin = test.__name__.replace("_", " "), time.monotonic()
                try:
                    test(desk)
                    passed += 1
                    print(f"ok   {name} ({time.monotonic() - begin:.1f} s)", flush=True)
                except Exception:
                    print(f"FAIL {name}\n{traceback.format_exc()}", flush=True)
                    desk.shot("failed-" + test.__name__)
                    break  # each step rests on the one before
            for error in browser.errors:
                print("page error:", error)
        finally:
            server.kill()
    print(f"{passed} of {len(TESTS)} passed")
    return passed == len(TESTS)


if __name__ == "__main__":
    sys.exit(0 if main(*sys.argv[1:]) else 1)
