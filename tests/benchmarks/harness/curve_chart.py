# SPDX-License-Identifier: Apache-2.0
"""Draws curves as one SVG of small panels: cost of a unit over the size, which is logarithmic."""
import math
from xml.sax.saxutils import escape

import table

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 320, 210, 56, 46, 18, 44
COLUMNS = 3
INK, QUIET, GRID, LINE, BEND = "#24292f", "#57606a", "#d8dee4", "#1f6feb", "#d1570b"


def ticks(top):
    """Three round numbers from 0 to a little above the greatest cost."""
    step = 10 ** math.floor(math.log10(top / 2))
    step = next(step * f for f in (1, 2, 2.5, 5, 10) if step * f * 2 >= top)
    return [0, step, 2 * step]


def size_text(size):
    for limit, letter in [(10**6, "M"), (10**3, "k")]:
        if size >= limit:
            return "%g%s" % (size / limit, letter)
    return str(size)


def text(x, y, words, size=11, anchor="start", colour=INK, weight="normal"):
    return ('<text x="%.1f" y="%.1f" font-size="%d" text-anchor="%s" fill="%s" font-weight="%s">%s'
            "</text>" % (x, y, size, anchor, colour, weight, escape(words)))


def panel(curve, left, top):
    low, high = math.log(curve.sizes[0]), math.log(curve.sizes[-1])
    marks = ticks(max(curve.costs))
    inner_width, inner_height = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def x_of(size):
        share = (math.log(size) - low) / (high - low) if high > low else 0.5
        return left + LEFT + share * inner_width

    def y_of(cost):
        return top + TOP + inner_height * (1 - cost / marks[-1])

    parts = [text(left + 12, top + 18, curve.title, 12, weight="600"),
             text(left + 12, top + 34, "%s, by %s" % (curve.unit, curve.x_name), 11,
                  colour=QUIET)]
    for mark in marks:
        parts.append('<line x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f" stroke="%s"/>'
                     % (left + LEFT, left + WIDTH - RIGHT, y_of(mark), y_of(mark), GRID))
        parts.append(text(left + LEFT - 6, y_of(mark) + 4, table.number(mark) if mark else "0",
                          anchor="end", colour=QUIET))
    points = [(x_of(s), y_of(c)) for s, c in zip(curve.sizes, curve.costs)]
    parts.append('<polyline fill="none" stroke="%s" stroke-width="2" points="%s"/>'
                 % (LINE, " ".join("%.1f,%.1f" % p for p in points)))
    for place, (x, y) in enumerate(points):
        bent = place in curve.bends()
        parts.append('<circle cx="%.1f" cy="%.1f" r="%d" fill="%s"/>'
                     % (x, y, 5 if bent else 3, BEND if bent else LINE))
        parts.append(text(x, top + HEIGHT - BOTTOM + 18, size_text(curve.sizes[place]),
                          anchor="middle", colour=QUIET))
    return "\n".join(parts)


def write(path, curves):
    rows = (len(curves) + COLUMNS - 1) // COLUMNS
    width, height = COLUMNS * WIDTH, rows * HEIGHT
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" '
             'font-family="Inter, Noto Sans, sans-serif">' % (width, height, width, height),
             '<rect width="%d" height="%d" rx="8" fill="#ffffff"/>' % (width, height)]
    for place, curve in enumerate(curves):
        parts.append(panel(curve, place % COLUMNS * WIDTH, place // COLUMNS * HEIGHT))
    with open(path, "w", encoding="utf-8") as stream:
        stream.write("\n".join(parts + ["</svg>"]) + "\n")
