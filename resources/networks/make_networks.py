#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes networks of Keras' applications as the graph of a custom_estimator.

    make_networks.py mobilenet_v2 [--alpha 0.75] [--classes 10] [--size 160] > graph.txtpb
    make_networks.py resnet_50 [--classes 10] [--size 224] > graph.txtpb

Layers have the names that they have in Keras, so that its weights can be told apart. --all writes
the files of this folder. Sources: Sandler et al. 2018, table 2 (MobileNetV2); He et al. 2016, table
1 (ResNet-50), both with the widths, paddings and constants of tf.keras.applications.
"""
import argparse
import pathlib
import sys


class Network:
    def __init__(self):
        self.lines = []

    def add(self, name, kind, fields="", inputs=()):
        read = ""
        if inputs:
            read = "inputs: [" + ", ".join(f'"{name}"' for name in inputs) + "] "
            if len(inputs) == 1:
                read = f'inputs: "{inputs[0]}" '
        fields = f" {fields} " if fields else ""
        self.lines.append(f'  layer {{ name: "{name}" {read}{kind} {{{fields}}} }}')
        return name

    def begin(self, size):
        self.add("columns", "input_layer")
        self.add("input_1", "reshape", f"target_shape: [{size}, {size}, 3]")

    def text(self, title):
        return f"{title}graph {{\n" + "\n".join(self.lines) + "\n}\n"


def divisible(width):
    """The multiple of 8 next to a width, at least 90 % of it."""
    rounded = max(8, int(width + 4) // 8 * 8)
    return rounded + 8 if rounded < 0.9 * width else rounded


# Expansion, channels, repetitions, stride of the first one.
MOBILENET_BLOCKS = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1),
                    (6, 160, 3, 2), (6, 320, 1, 1)]


def mobilenet_v2(size, classes, alpha):
    network = Network()

    def convolution(name, filters, fields="kernel_size: 1 padding: same"):
        network.add(name, "conv_2d", f"filters: {filters} {fields} use_bias: false")

    def normalized(name):
        network.add(name, "batch_normalization", "momentum: 0.999")

    def capped(name):
        network.add(name, "relu", "max_value: 6")

    network.begin(size)
    network.add("rescaling", "rescaling", "scale: 0.00784313725490196 offset: -1")
    channels = divisible(32 * alpha)
    convolution("Conv1", channels, "kernel_size: 3 strides: 2 padding: same")
    normalized("bn_Conv1")
    capped("Conv1_relu")
    last = "Conv1_relu"
    number = 0
    for expansion, width, repetitions, stride in MOBILENET_BLOCKS:
        for repetition in range(repetitions):
            prefix = f"block_{number}_" if number else "expanded_conv_"
            filters = divisible(int(width * alpha))
            stride_here = stride if repetition == 0 else 1
            if number:
                convolution(prefix + "expand", expansion * channels)
                normalized(prefix + "expand_BN")
                capped(prefix + "expand_relu")
            padding = "padding: same"
            if stride_here == 2:
                network.add(prefix + "pad", "zero_padding_2d", "padding: [0, 1, 0, 1]")
                padding = "stride: 2"
            network.add(prefix + "depthwise", "depthwise_conv_2d",
                        f"kernel_size: 3 {padding} use_bias: false")
            normalized(prefix + "depthwise_BN")
            capped(prefix + "depthwise_relu")
            convolution(prefix + "project", filters)
            normalized(prefix + "project_BN")
            if stride_here == 1 and filters == channels:
                network.add(prefix + "add", "add", inputs=[last, prefix + "project_BN"])
                last = prefix + "add"
            else:
                last = prefix + "project_BN"
            channels = filters
            number += 1
    convolution("Conv_1", divisible(1280 * alpha) if alpha > 1 else 1280, "kernel_size: 1")
    normalized("Conv_1_bn")
    capped("out_relu")
    network.add("global_average_pooling2d", "global_average_pooling_2d")
    network.add("predictions", "dense", f"units: {classes}")
    return network.text(
        f"# MobileNetV2 with alpha {alpha} (Sandler et al. 2018), as tf.keras.applications has it.\n"
        "# Reads pixels from 0 to 255; height and width are multiples of 32. Change two numbers\n"
        "# to your own: target_shape in input_1, units in predictions. See README.md.\n")


# Filters, repetitions, stride of the first one.
RESNET_STAGES = [(64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)]


def resnet_50(size, classes):
    network = Network()

    def convolution(name, filters, kernel=1, fields="", inputs=()):
        network.add(name, "conv_2d", f"filters: {filters} kernel_size: {kernel}{fields}", inputs)

    def normalized(name, inputs=()):
        network.add(name, "batch_normalization", "epsilon: 1.001e-05", inputs)

    def rectified(name):
        network.add(name, "activation", "function: relu")

    network.begin(size)
    # Keras' weights read blue before red. Permuted, the colour is what can be cut.
    network.lines.append("""\
  layer { name: "caffe" block {
    layer { name: "centred" normalization { mean: [123.68, 116.779, 103.939] variance: 1 } }
    layer { name: "planes" permute { dims: [3, 1, 2] } }
    layer { name: "red" inputs: "planes" cropping_2d { cropping: [0, 2, 0, 0] } }
    layer { name: "green" inputs: "planes" cropping_2d { cropping: [1, 1, 0, 0] } }
    layer { name: "blue" inputs: "planes" cropping_2d { cropping: [2, 0, 0, 0] } }
    layer { name: "turned" inputs: ["blue", "green", "red"] concatenate { axis: 1 } }
    layer { name: "pixels" permute { dims: [2, 3, 1] } } } }""")
    network.add("conv1_pad", "zero_padding_2d", "padding: 3")
    convolution("conv1_conv", 64, 7, " strides: 2")
    normalized("conv1_bn")
    rectified("conv1_relu")
    network.add("pool1_pad", "zero_padding_2d", "padding: 1")
    last = network.add("pool1_pool", "max_pooling_2d", "pool_size: 3 strides: 2")
    for stage, (filters, repetitions, stride) in enumerate(RESNET_STAGES, start=2):
        for number in range(1, repetitions + 1):
            prefix = f"conv{stage}_block{number}_"
            strides = f" strides: {stride}" if number == 1 and stride > 1 else ""
            convolution(prefix + "1_conv", filters, fields=strides)
            normalized(prefix + "1_bn")
            rectified(prefix + "1_relu")
            convolution(prefix + "2_conv", filters, 3, " padding: same")
            normalized(prefix + "2_bn")
            rectified(prefix + "2_relu")
            shortcut = last
            if number == 1:
                # In Keras' order of layers, which its weights have, too.
                convolution(prefix + "0_conv", 4 * filters, fields=strides, inputs=[last])
                convolution(prefix + "3_conv", 4 * filters, inputs=[prefix + "2_relu"])
                normalized(prefix + "0_bn", [prefix + "0_conv"])
                normalized(prefix + "3_bn", [prefix + "3_conv"])
                shortcut = prefix + "0_bn"
            else:
                convolution(prefix + "3_conv", 4 * filters)
                normalized(prefix + "3_bn")
            network.add(prefix + "add", "add", inputs=[shortcut, prefix + "3_bn"])
            last = prefix + "out"
            rectified(last)
    network.add("avg_pool", "global_average_pooling_2d")
    network.add("predictions", "dense", f"units: {classes}")
    return network.text(
        "# ResNet-50 (He et al. 2016), as tf.keras.applications has it.\n"
        "# Reads pixels from 0 to 255. Change two numbers to your own: target_shape in input_1, units\n"
        "# in predictions. See README.md.\n")


def main():
    parser = argparse.ArgumentParser(description="Writes a network of Keras' applications.")
    parser.add_argument("network", nargs="?", choices=["mobilenet_v2", "resnet_50"])
    parser.add_argument("--alpha", type=float, default=1.0, help="width of MobileNetV2")
    parser.add_argument("--classes", type=int, default=1000)
    parser.add_argument("--size", type=int, default=224, help="height and width of the pictures")
    parser.add_argument("--all", action="store_true", help="write the files of this folder")
    options = parser.parse_args()
    if options.all:
        folder = pathlib.Path(__file__).parent
        for alpha in (1.0, 0.5, 0.35):
            (folder / f"mobilenet_v2_{round(100 * alpha):03}.txtpb").write_text(
                mobilenet_v2(224, 1000, alpha))
        (folder / "resnet_50.txtpb").write_text(resnet_50(224, 1000))
    elif options.network == "mobilenet_v2":
        sys.stdout.write(mobilenet_v2(options.size, options.classes, options.alpha))
    elif options.network == "resnet_50":
        sys.stdout.write(resnet_50(options.size, options.classes))
    else:
        parser.error("name a network, or --all")


if __name__ == "__main__":
    main()
