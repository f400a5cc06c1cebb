// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/keras_layers/conversions.h"

#include <array>

namespace cannery::tests {

namespace {

using Json = nlohmann::json;

bool ofFlatten(const Json&, spec::Layer& layer)
{
    return layer.mutable_flatten() != nullptr;
}

bool ofReshape(const Json& config, spec::Layer& layer)
{
    setNumbers(config, "target_shape", layer.mutable_reshape()->mutable_target_shape());
    return true;
}

bool ofPermute(const Json& config, spec::Layer& layer)
{
    setNumbers(config, "dims", layer.mutable_permute()->mutable_dims());
    return true;
}

bool ofRepeatVector(const Json& config, spec::Layer& layer)
{
    layer.mutable_repeat_vector()->set_n(config["n"]);
    return true;
}

/// Of [[top, bottom], [left, right]].
template <typename Field>
bool setEdges(const Json& edges, Field* field)
{
    for (const Json& pair : edges) {
        field->Add(pair[0].get<std::int64_t>());
        field->Add(pair[1].get<std::int64_t>());
    }
    return true;
}

bool ofZeroPadding1d(const Json& config, spec::Layer& layer)
{
    setNumbers(config, "padding", layer.mutable_zero_padding_1d()->mutable_padding());
    return true;
}

bool ofZeroPadding2d(const Json& config, spec::Layer& layer)
{
    return setEdges(config["padding"], layer.mutable_zero_padding_2d()->mutable_padding());
}

bool ofCropping1d(const Json& config, spec::Layer& layer)
{
    setNumbers(config, "cropping", layer.mutable_cropping_1d()->mutable_cropping());
    return true;
}

bool ofCropping2d(const Json& config, spec::Layer& layer)
{
    return setEdges(config["cropping"], layer.mutable_cropping_2d()->mutable_cropping());
}

bool ofUpSampling1d(const Json& config, spec::Layer& layer)
{
    layer.mutable_up_sampling_1d()->set_size(config["size"]);
    return true;
}

bool ofUpSampling2d(const Json& config, spec::Layer& layer)
{
    spec::UpSampling2dLayer& message = *layer.mutable_up_sampling_2d();
    setNumbers(config, "size", message.mutable_size());
    spec::Interpolation::Kind interpolation = spec::Interpolation::nearest;
    const bool isKnown = spec::Interpolation::Kind_Parse(config["interpolation"], &interpolation);
    message.set_interpolation(interpolation);
    return isKnown;
}

constexpr auto kConversions = std::to_array<ConversionRow>({
    {"Cropping1D", ofCropping1d},
    {"Cropping2D", ofCropping2d},
    {"Flatten", ofFlatten},
    {"Permute", ofPermute},
    {"RepeatVector", ofRepeatVector},
    {"Reshape", ofReshape},
    {"UpSampling1D", ofUpSampling1d},
    {"UpSampling2D", ofUpSampling2d},
    {"ZeroPadding1D", ofZeroPadding1d},
    {"ZeroPadding2D", ofZeroPadding2d},
});

} // namespace

std::span<const ConversionRow> reshapingConversions()
{
    return kConversions;
}

} // namespace cannery::tests
