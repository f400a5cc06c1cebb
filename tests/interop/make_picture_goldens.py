# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/networks/layers/pictures.json with real Keras.

Calls of layers of pictures in the form of ../golden/networks: outputs, and the gradients of the sum
of c(i) y(i), c(i) = ((7i + 3) mod 11 - 5) / 8. Random layers whose range is a single number draw
nothing, so that training can be compared.
"""
import json
import os

os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"  # as in the other goldens

import numpy as np
import tensorflow as tf

GOLDENS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden", "networks",
                       "layers")
keras = tf.keras.layers
FILLS = ("reflect", "wrap", "constant", "nearest")


def cases():
    """Class, config, shape of the rows, training."""
    for size in ((3, 8), (9, 4), (12, 11)):
        for interpolation in ("bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5",
                              "gaussian", "mitchellcubic"):
            yield "Resizing", dict(height=size[0], width=size[1],
                                   interpolation=interpolation), (6, 7, 2), False
    yield "Resizing", dict(height=4, width=9, crop_to_aspect_ratio=True), (6, 7, 3), False
    yield "Resizing", dict(height=8, width=2, crop_to_aspect_ratio=True,
                           interpolation="bicubic"), (7, 6, 1), False
    for size in ((4, 3), (6, 7), (9, 3), (2, 12), (10, 10)):
        yield "CenterCrop", dict(height=size[0], width=size[1]), (6, 7, 2), False
        yield "RandomCrop", dict(height=size[0], width=size[1]), (6, 7, 2), False
    # What is as large as the image, or larger, has one place.
    yield "RandomCrop", dict(height=6, width=7), (6, 7, 2), True
    yield "RandomCrop", dict(height=8, width=3), (6, 7, 2), True
    for name, config in (("RandomFlip", dict(mode="horizontal")),
                         ("RandomRotation", dict(factor=0.2)),
                         ("RandomZoom", dict(height_factor=0.3)),
                         ("RandomTranslation", dict(height_factor=0.1, width_factor=0.2)),
                         ("RandomContrast", dict(factor=0.3)),
                         ("RandomBrightness", dict(factor=0.3))):
        yield name, config, (4, 5, 2), False
    for fill in FILLS:
        for interpolation in ("bilinear", "nearest"):
            more = dict(fill_mode=fill, interpolation=interpolation, fill_value=0.75)
            yield "RandomRotation", dict(factor=(0.07, 0.07), **more), (5, 6, 2), True
            yield "RandomZoom", dict(height_factor=(0.37, 0.37), width_factor=(-0.22, -0.22),
                                     **more), (5, 6, 2), True
            yield "RandomTranslation", dict(height_factor=(0.26, 0.26),
                                            width_factor=(-0.61, -0.61), **more), (5, 6, 2), True
    yield "RandomZoom", dict(height_factor=(-0.4, -0.4)), (6, 5, 3), True
    yield "RandomRotation", dict(factor=(-0.4, -0.4)), (6, 5, 3), True
    for delta in (-0.3, 0.15):
        yield "RandomBrightness", dict(factor=(delta, delta)), (4, 5, 3), True
        yield "RandomBrightness", dict(factor=(delta, delta), value_range=(-1.0, 1.0)), \
            (4, 5, 3), True


def tensor(array):
    return dict(shape=list(array.shape),
                values=[float(str(value)) for value in np.asarray(array, np.float32).flat])


def call(name, layer, pixels, training):
    """Output and gradient; the latter in float64 as well, for the noise."""
    inputs = tf.constant(pixels)
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        outputs = layer(inputs, training=True) if training else layer(inputs)
        if name.startswith("Random") and not training:
            outputs = layer(inputs, training=False)
        index = np.arange(np.prod(outputs.shape)).reshape(outputs.shape)
        total = tf.reduce_sum(outputs * tf.constant((((7 * index + 3) % 11) - 5) / 8, tf.float32))
    try:
        gradient = tape.gradient(total, inputs)
    except LookupError:  # ResizeArea has none
        gradient = None
    return outputs.numpy(), None if gradient is None else gradient.numpy()


def main():
    random = np.random.RandomState(3)
    written = []
    for number, (name, config, shape, training) in enumerate(cases()):
        pixels = random.uniform(-1, 1, (2,) + shape).astype(np.float32)
        if name in ("RandomContrast", "RandomBrightness") and "value_range" not in config:
            pixels = (pixels + 1) * 127.5
        layer = getattr(keras, name)(**config)
        outputs, gradient = call(name, layer, pixels, training)
        case = dict(name=f"{name}_{number}", config=config, inputs=[tensor(pixels)],
                    outputs=[tensor(outputs)], noise=0.0)
        case["class"] = name
        if training:
            case["call"] = dict(training=True)
        if gradient is None:
            case["only_output"] = True
        case["input_gradients"] = [] if gradient is None else [tensor(gradient)]
        written.append(case)
    with open(os.path.join(GOLDENS, "pictures.json"), "w", encoding="utf-8") as file:
        file.write('{"tensorflow": "' + tf.__version__ + '", "cases": [\n')
        file.write(",\n".join(json.dumps(case, separators=(",", ":")) for case in written))
        file.write("\n]}\n")


if __name__ == "__main__":
    main()
