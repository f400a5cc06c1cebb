#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the pictures of shapes/: circles and squares of 16 x 16 pixels, as PNG, BMP and JPEG.

  make_shapes.py FOLDER

Needs nothing but Python. The same pictures every time.
"""
import math
import random
import struct
import sys
import zlib
from pathlib import Path

SIDE = 16


def draw(shape, chance):
    """Rows of RGB pixels: a bright shape of any colour on a dark ground."""
    radius = chance.uniform(4.5, 6)
    # About the middle: a network without convolutions is to tell them apart after a few pictures.
    x, y = (SIDE / 2 + chance.uniform(-1, 1) for _ in range(2))
    ground = [chance.randrange(10, 70) for _ in range(3)]
    colour = [chance.randrange(150, 250) for _ in range(3)]
    rows = []
    for row in range(SIDE):
        pixels = []
        for column in range(SIDE):
            dx, dy = abs(column + 0.5 - x), abs(row + 0.5 - y)
            distance = math.hypot(dx, dy) if shape == "circle" else max(dx, dy)
            cover = min(1, max(0, radius - distance + 0.5))
            pixels.append([round(g + (c - g) * cover) for g, c in zip(ground, colour)])
        rows.append(pixels)
    return rows


def png(rows):
    def chunk(kind, data):
        return (struct.pack(">I", len(data)) + kind + data +
                struct.pack(">I", zlib.crc32(kind + data)))

    lines = b"".join(b"\0" + bytes(sum(row, [])) for row in rows)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", SIDE, SIDE, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(lines, 9)) + chunk(b"IEND", b""))


def bmp(rows):
    pixels = b"".join(bytes(pixel[::-1]) for row in rows[::-1] for pixel in row)
    return (b"BM" + struct.pack("<IHHI", 54 + len(pixels), 0, 0, 54) +
            struct.pack("<IiiHHIIiiII", 40, SIDE, SIDE, 1, 24, 0, len(pixels), 2835, 2835, 0, 0) +
            pixels)


# In order of frequency (ITU-T T.81, figure A.6).
ZIGZAG = sorted(range(64), key=lambda i: (i // 8 + i % 8,
                                          i // 8 if (i // 8 + i % 8) % 2 else i % 8))


def jpeg(rows):
    """A baseline JPEG in grey: one quantization step, and Huffman codes of one length each."""
    step = 8
    ac_symbols = [0x00, 0xF0] + [run << 4 | size for run in range(16) for size in range(1, 11)]
    bits = ""

    def put(value, symbol, codes, width):
        nonlocal bits
        bits += format(codes.index(symbol), "0%db" % width)
        size = abs(value).bit_length()
        if size:
            bits += format(value if value > 0 else value + (1 << size) - 1, "0%db" % size)

    previous = 0
    for top in range(0, SIDE, 8):
        for left in range(0, SIDE, 8):
            block = []
            for place in ZIGZAG:
                v, u = divmod(place, 8)
                total = sum((0.299 * p[0] + 0.587 * p[1] + 0.114 * p[2] - 128) *
                            math.cos((2 * j + 1) * u * math.pi / 16) *
                            math.cos((2 * i + 1) * v * math.pi / 16)
                            for i in range(8) for j in range(8)
                            for p in [rows[top + i][left + j]])
                scale = (0.5 ** 0.5 if u == 0 else 1) * (0.5 ** 0.5 if v == 0 else 1) / 4
                block.append(round(total * scale / step))
            put(block[0] - previous, abs(block[0] - previous).bit_length(), list(range(12)), 4)
            previous = block[0]
            run = 0
            last = max([i for i in range(1, 64) if block[i]], default=0)
            for value in block[1:last + 1]:
                if value == 0:
                    run += 1
                    continue
                while run > 15:
                    put(0, 0xF0, ac_symbols, 8)
                    run -= 16
                put(value, run << 4 | abs(value).bit_length(), ac_symbols, 8)
                run = 0
            if last < 63:
                put(0, 0x00, ac_symbols, 8)
    bits += "1" * (-len(bits) % 8)
    data = bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits), 8)).replace(b"\xff", b"\xff\0")

    def segment(mark, content):
        return bytes([0xFF, mark]) + struct.pack(">H", len(content) + 2) + content

    def table(kind, length, symbols):
        counts = bytes(len(symbols) if i == length else 0 for i in range(1, 17))
        return segment(0xC4, bytes([kind]) + counts + bytes(symbols))

    return (b"\xff\xd8" + segment(0xDB, bytes([0] + [step] * 64)) +
            segment(0xC0, struct.pack(">BHHB", 8, SIDE, SIDE, 1) + bytes([1, 0x11, 0])) +
            table(0x00, 4, list(range(12))) + table(0x10, 8, ac_symbols) +
            segment(0xDA, bytes([1, 1, 0, 0, 63, 0])) + data + b"\xff\xd9")


def main():
    chance = random.Random(7)
    writers = [("png", png), ("jpg", jpeg), ("bmp", bmp)]
    for part, count in [("train", 12), ("validation", 6)]:
        for shape in ["circle", "square"]:
            folder = Path(sys.argv[1]) / part / shape
            folder.mkdir(parents=True, exist_ok=True)
            for number in range(count):
                ending, write = writers[number % 3]
                (folder / ("%02d.%s" % (number, ending))).write_bytes(write(draw(shape, chance)))


main()
