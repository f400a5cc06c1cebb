// SPDX-License-Identifier: Apache-2.0
#include "core/export/program/enum_texts.h"

#include "core/export/program/python_text.h"

namespace cannery::exporting {

namespace {

/// TensorFlow's function of that name, or the one that stands for it.
std::string activationText(std::string_view value)
{
    if (value == "linear") {
        return "tf.identity";
    }
    if (value == "tanh" || value == "sigmoid") {
        return "tf." + std::string(value);
    }
    // tf.nn lacks these.
    if (value == "gelu" || value == "exponential" || value == "hard_sigmoid" || value == "mish") {
        return "tf.keras.activations." + std::string(value);
    }
    return "tf.nn." + std::string(value);
}

} // namespace

std::string enumText(std::string_view type, std::string_view value)
{
    if (type == "DataType") {
        return "tf." + std::string(value);
    }
    if (type == "Activation") {
        return activationText(value);
    }
    if (type == "LossReduction") {
        return "tf.losses.Reduction." + std::string(value);
    }
    return pythonText(value);
}

} // namespace cannery::exporting
