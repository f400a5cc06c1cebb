# SPDX-License-Identifier: Apache-2.0
"""Draws simulated efficiencies as one SVG of small panels: dots are simulated, dashes the model."""
import math

from curve_chart import BOTTOM, GRID, HEIGHT, LEFT, QUIET, RIGHT, TOP, WIDTH, text

COLOURS = ["#d1570b", "#1f6feb", "#1a7f37"]
LEGEND = 22
MARKS = [0, 0.5, 1]


def panel(facts, left, top):
    sizes = facts["lines"][0]["workers"]
    inner_width, inner_height = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def x_of(workers):
        share = math.log(workers) / math.log(sizes[-1]) if sizes[-1] > 1 else 0.5
        return left + LEFT + share * inner_width

    def y_of(efficiency):
        return top + TOP + inner_height * (1 - min(efficiency, 1))

    def line(efficiencies, colour, dashes):
        points = " ".join("%.1f,%.1f" % (x_of(n), y_of(e)) for n, e in zip(sizes, efficiencies))
        return ('<polyline fill="none" stroke="%s" stroke-width="%s"%s points="%s"/>'
                % (colour, "1.5" if dashes else "2", ' stroke-dasharray="4 3"' if dashes else "",
                   points))

    parts = [text(left + 12, top + 18, facts["title"], 12, weight="600"),
             text(left + 12, top + 34, "efficiency, by workers", 11, colour=QUIET)]
    for mark in MARKS:
        parts.append('<line x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f" stroke="%s"/>'
                     % (left + LEFT, left + WIDTH - RIGHT, y_of(mark), y_of(mark), GRID))
        parts.append(text(left + LEFT - 6, y_of(mark) + 4, "%d %%" % (100 * mark), anchor="end",
                          colour=QUIET))
    for colour, facts_of_line in zip(COLOURS, facts["lines"]):
        parts.append(line(facts_of_line["model"], colour, True))
        parts.append(line(facts_of_line["simulated"], colour, False))
        for workers, efficiency in zip(sizes, facts_of_line["simulated"]):
            parts.append('<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>'
                         % (x_of(workers), y_of(efficiency), colour))
    for place in range(0, len(sizes), 2):
        parts.append(text(x_of(sizes[place]), top + HEIGHT - BOTTOM + 18, "{:,}".format(sizes[place]),
                          anchor="middle", colour=QUIET))
    return "\n".join(parts)


def legend(lines, top):
    parts = [text(12, top, "Simulated, not measured", 11, weight="600")]
    for place, (colour, line) in enumerate(zip(COLOURS, lines)):
        left = 190 + 110 * place
        parts.append('<circle cx="%d" cy="%d" r="3" fill="%s"/>' % (left, top - 4, colour))
        parts.append(text(left + 8, top, line["network"], 11, colour=QUIET))
    parts.append(text(190 + 110 * len(lines), top, "dashed: the cost model", 11, colour=QUIET))
    return parts


def write(path, panels):
    width, height = len(panels) * WIDTH, HEIGHT + LEGEND
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" '
             'font-family="Inter, Noto Sans, sans-serif">' % (width, height, width, height),
             '<rect width="%d" height="%d" rx="8" fill="#ffffff"/>' % (width, height)]
    for place, facts in enumerate(panels):
        parts.append(panel(facts, place * WIDTH, 0))
    parts += legend(panels[0]["lines"], HEIGHT + 6)
    with open(path, "w", encoding="utf-8") as stream:
        stream.write("\n".join(parts + ["</svg>"]) + "\n")
