"""KiCad's files are S-expressions: reading and writing them. Atoms are `str`, quoted strings `Quoted`.

SPDX-License-Identifier: CERN-OHL-P-2.0
"""

import re

TOKEN = re.compile(r'\s*(?:(?P<open>\()|(?P<close>\))|"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<atom>[^\s()"]+))')


class Quoted(str):
    """A string in quotes."""


def parse(text):
    """The one expression that `text` is."""
    stack, at = [[]], 0
    while match := TOKEN.match(text, at):
        at = match.end()
        if match["open"]:
            stack.append([])
        elif match["close"]:
            done = stack.pop()
            stack[-1].append(done)
        elif match["atom"]:
            stack[-1].append(match["atom"])
        else:
            stack[-1].append(Quoted(match["quoted"].replace('\\"', '"')))
    return stack[0][0]


def write(node, depth=0):
    """As KiCad lays it out: a list within a list on a line of its own."""
    if isinstance(node, Quoted):
        return '"' + node.replace('"', '\\"') + '"'
    if not isinstance(node, (list, tuple)):
        return f"{node:g}" if isinstance(node, float) else str(node)
    out, broken = "(", False
    for index, item in enumerate(node):
        if isinstance(item, (list, tuple)):
            out += "\n" + "\t" * (depth + 1) + write(item, depth + 1)
            broken = True
        else:
            out += (" " if index else "") + write(item)
    return out + ("\n" + "\t" * depth if broken else "") + ")"


def all_of(node, name):
    """The lists in `node` that begin with `name`."""
    return [item for item in node if isinstance(item, list) and item and item[0] == name]


def first_of(node, name):
    """The first of them, or `None`."""
    return next(iter(all_of(node, name)), None)
