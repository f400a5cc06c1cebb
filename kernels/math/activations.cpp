// SPDX-License-Identifier: Apache-2.0
#include "kernels/math/activations.h"

#include <array>

namespace cannery::kernels {

namespace {

constexpr std::array<std::string_view, kActivationCount> kNames = {
    "linear",       "relu",     "relu6",    "elu",   "selu", "leaky_relu",  "tanh", "sigmoid",
    "hard_sigmoid", "softplus", "softsign", "swish", "gelu", "exponential", "mish",
};

} // namespace

std::string_view name(Activation activation)
{
    return kNames[static_cast<std::size_t>(activation)];
}

std::optional<Activation> activationFromName(std::string_view name)
{
    if (name == "silu") {
        return Activation::Swish;
    }
    for (std::size_t i = 0; i < kNames.size(); ++i) {
        if (kNames[i] == name) {
            return static_cast<Activation>(i);
        }
    }
    return std::nullopt;
}

} // namespace cannery::kernels
