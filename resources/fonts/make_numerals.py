#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cuts "Cannery Numerals" out of Inter: ten digits of equal width, nothing else.

Qt 6.4 cannot switch on the `tnum` feature of a font, so that columns of numbers dance. This takes the
tabular glyphs of Inter's static files (Debian: fonts-inter), maps them to U+0030..0039 and renames
the family, as the Open Font License asks. Run it again when Inter changes:

    python3 make_numerals.py /usr/share/fonts/opentype/inter .

Needs fontTools (Debian: python3-fonttools).
"""

import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

FAMILY = "Cannery Numerals"
WEIGHTS = ("Regular", "Medium", "SemiBold")


def tabular_digits(font):
    """Glyph names of the tabular 0..9."""
    names = {}
    for record in font["GSUB"].table.FeatureList.FeatureRecord:
        if record.FeatureTag != "tnum":
            continue
        for index in record.Feature.LookupListIndex:
            for table in font["GSUB"].table.LookupList.Lookup[index].SubTable:
                table = getattr(table, "ExtSubTable", table)
                names.update(getattr(table, "mapping", {}))
    plain = font.getBestCmap()
    return {code: names[plain[code]] for code in range(0x30, 0x3A)}


def rename(font, weight):
    name = font["name"]
    name.names = [n for n in name.names if n.nameID in (0, 13, 14) and n.platformID == 3]
    texts = {
        1: FAMILY if weight == "Regular" else f"{FAMILY} {weight}",
        2: "Regular",
        3: f"{FAMILY} {weight}",
        4: f"{FAMILY} {weight}",
        6: f"{FAMILY.replace(' ', '')}-{weight}",
        16: FAMILY,
        17: weight,
    }
    for number, text in texts.items():
        name.setName(text, number, 3, 1, 0x409)
    if "CFF " in font:
        cff = font["CFF "].cff
        cff.fontNames = [texts[6]]
        top = cff.topDictIndex[0]
        top.FamilyName, top.FullName = FAMILY, texts[4]


def cut(source, target, weight):
    font = TTFont(source)
    digits = tabular_digits(font)
    for table in font["cmap"].tables:
        table.cmap.update(digits)
    options = subset.Options()
    options.layout_features = []
    options.name_IDs = ["*"]
    options.notdef_outline = True
    options.hinting = False
    options.desubroutinize = True
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=list(digits))
    cutter.subset(font)
    rename(font, weight)
    font.save(target)


def main():
    fonts, target = Path(sys.argv[1]), Path(sys.argv[2])
    for weight in WEIGHTS:
        cut(fonts / f"Inter-{weight}.otf", target / f"CanneryNumerals-{weight}.otf", weight)


if __name__ == "__main__":
    main()
