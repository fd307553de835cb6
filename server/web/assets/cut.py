#!/usr/bin/env python3
"""Cuts the cached images of the board out of the outlines in glyphs.svg. Run in this folder after a change there.

The outlines come from LXGW WenKai Bold under the SIL Open Font License: see OFL.txt. Each image follows the
reader's light or dark theme by itself, since a style sheet of the page does not reach into an image.
"""
import re
import pathlib

here = pathlib.Path(__file__).parent
source = (here / "glyphs.svg").read_text()
outline = dict(re.findall(r'<path id="([^"]+)"[^>]* d="([^"]+)"', source))
NOTICE = "<!-- Outlines from LXGW WenKai Bold, SIL Open Font License 1.1: OFL.txt -->"

# name: light, dark (the board's part of the design tokens)
COLOUR = {
    "wood": ("#e2c996", "#8f7852"), "line": ("#5b4223", "#2b1d0d"), "river": ("#7a5a30", "#3c2a12"),
    "rf": ("#fdf5e2", "#f3e6c8"), "re": ("#8a3a22", "#6f2a18"), "rg": ("#a5271b", "#9d2216"),
    "bf": ("#25221e", "#1a1815"), "be": ("#0f0e0c", "#050504"), "bg": ("#f8edd3", "#eddfbf"),
}


def image(name, view_box, rules, body):
    """rules: (class, property, colour) coloured by theme."""
    def sheet(theme):
        return "".join(f".{c}{{{p}:{COLOUR[n][theme]}}}" for c, p, n in rules)
    style = f"<style>{sheet(0)}@media(prefers-color-scheme:dark){{{sheet(1)}}}</style>"
    text = f'{NOTICE}<svg xmlns="http://www.w3.org/2000/svg" viewBox="{view_box}">{style}{body}</svg>\n'
    path = here / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)


def piece(letter):
    side = "r" if letter.isupper() else "b"
    rules = [("f", "fill", side + "f"), ("f", "stroke", side + "e"), ("o", "stroke", side + "g"),
             ("g", "fill", side + "g")]
    glyph = outline["g-" + letter]
    # Not the letter alone: some file systems do not tell K.svg from k.svg.
    name = side + letter.lower()
    opacity = "" if side == "r" else ' opacity=".75"'
    ring = f'<circle r="38" class="o" fill="none" stroke-width="{2.2 if side == "r" else 2}"{opacity}/>'
    disc = '<circle r="44" class="f" stroke-width="2.5"/>'
    image(f"seal/{name}.svg", "-50 -50 100 100", rules,
          f'{disc}{ring}<path class="g" transform="scale(.315)" d="{glyph}"/>')
    image(f"thumb/{name}.svg", "-50 -50 100 100", rules,
          f'<circle r="45" class="f" stroke-width="2.5"/><path class="g o" stroke-width="7.6" stroke-linejoin="round" '
          f'transform="scale(.37)" d="{glyph}"/>')
    letters = {"k": "K", "a": "A", "b": "E", "n": "H", "r": "R", "c": "C", "p": "P"}
    image(f"latin/{name}.svg", "-50 -50 100 100", rules,
          f'{disc}{ring}<text y="19" text-anchor="middle" font-size="54" font-weight="700" '
          f'font-family="Helvetica,Arial,DejaVu Sans,sans-serif" class="g">{letters[letter.lower()]}</text>')


def board(name, flipped):
    numbers = ""
    for file in range(9):
        black, red = file + 1, 9 - file
        # Seen from Black's side the board turns, and so do the numbers under each player's hand.
        if flipped:
            numbers += f'<path class="l" transform="translate({file * 100} -70) scale(.4)" d="{outline[f"n-{file + 1}"]}"/>'
            numbers += f'<text class="l" x="{file * 100}" y="984">{9 - file}</text>'
        else:
            numbers += f'<text class="l" x="{file * 100}" y="-58">{black}</text>'
            numbers += f'<path class="l" transform="translate({file * 100} 972) scale(.4)" d="{outline[f"n-{red}"]}"/>'
    image(name, "-66 -94 932 1090",
          [("w", "fill", "wood"), ("s", "stroke", "line"), ("v", "fill", "river"), ("l", "fill", "line")],
          '<rect x="-66" y="-94" width="932" height="1090" class="w"/>'
          '<g class="s" fill="none" stroke-linecap="square" stroke-width="2.6">'
          '<rect x="-12" y="-12" width="824" height="924" stroke-width="6"/>'
          f'<path d="{outline["x-grid"]}"/><path d="{outline["x-star"]}"/></g>'
          f'<path class="v" opacity=".75" transform="scale(.4)" d="{outline["x-river"]}"/>'
          f'<g font-family="Helvetica,Arial,DejaVu Sans,sans-serif" font-size="34" font-weight="600" '
          f'text-anchor="middle">{numbers}</g>')


for letter in "KABNRCPkabnrcp":
    piece(letter)
board("board.svg", False)
board("board-flip.svg", True)
image("board-thumb.svg", "-54 -54 908 1008", [("w", "fill", "wood"), ("s", "stroke", "line")],
      '<rect x="-54" y="-54" width="908" height="1008" class="w"/>'
      f'<path class="s" fill="none" stroke-linecap="square" stroke-width="4" opacity=".75" d="{outline["x-grid"]}"/>')
word = re.findall(r'<path d="([^"]+)"', (here / "wordmark-source.svg").read_text())
dark_ink = "<style>.i{fill:#1b1a17}.b{stroke:#1b1a17}@media(prefers-color-scheme:dark){.i{fill:#ece7db}.b{stroke:#ece7db}}</style>"
(here / "wordmark.svg").write_text(
    f'{NOTICE}<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 132 64">{dark_ink}'
    f'<path class="b" stroke-width="3" d="{word[0]}"/><path class="i" d="{word[1]}"/></svg>\n')
