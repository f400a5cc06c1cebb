// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/keras_layers/conversions.h"

#include <array>

namespace cannery::tests {

namespace {

using Json = nlohmann::json;

template <typename Message>
bool setPooling(const Json& config, Message& message)
{
    setNumbers(config, "pool_size", message.mutable_pool_size());
    setNumbers(config, "strides", message.mutable_strides());
    message.set_padding(paddingOf(config));
    return true;
}

/// Over steps.
template <typename Message>
bool setPoolingOfSteps(const Json& config, Message& message)
{
    message.set_pool_size(config["pool_size"][0]);
    message.set_stride(config["strides"][0]);
    message.set_padding(paddingOf(config));
    return true;
}

bool ofAveragePooling1d(const Json& config, spec::Layer& layer)
{
    return setPoolingOfSteps(config, *layer.mutable_average_pooling_1d());
}

bool ofMaxPooling1d(const Json& config, spec::Layer& layer)
{
    return setPoolingOfSteps(config, *layer.mutable_max_pooling_1d());
}

bool ofGlobalAveragePooling1d(const Json& config, spec::Layer& layer)
{
    layer.mutable_global_average_pooling_1d()->set_keepdims(config["keepdims"]);
    return true;
}

bool ofGlobalMaxPooling1d(const Json& config, spec::Layer& layer)
{
    layer.mutable_global_max_pooling_1d()->set_keepdims(config["keepdims"]);
    return true;
}

bool ofAveragePooling2d(const Json& config, spec::Layer& layer)
{
    return setPooling(config, *layer.mutable_average_pooling_2d());
}

bool ofMaxPooling2d(const Json& config, spec::Layer& layer)
{
    return setPooling(config, *layer.mutable_max_pooling_2d());
}

bool ofGlobalAveragePooling2d(const Json& config, spec::Layer& layer)
{
    layer.mutable_global_average_pooling_2d()->set_keepdims(config["keepdims"]);
    return true;
}

bool ofGlobalMaxPooling2d(const Json& config, spec::Layer& layer)
{
    layer.mutable_global_max_pooling_2d()->set_keepdims(config["keepdims"]);
    return true;
}

constexpr auto kConversions = std::to_array<ConversionRow>({
    {"AveragePooling1D", ofAveragePooling1d},
    {"AveragePooling2D", ofAveragePooling2d},
    {"GlobalAveragePooling1D", ofGlobalAveragePooling1d},
    {"GlobalAveragePooling2D", ofGlobalAveragePooling2d},
    {"GlobalMaxPooling1D", ofGlobalMaxPooling1d},
    {"GlobalMaxPooling2D", ofGlobalMaxPooling2d},
    {"MaxPooling1D", ofMaxPooling1d},
    {"MaxPooling2D", ofMaxPooling2d},
});

} // namespace

std::span<const ConversionRow> poolingConversions()
{
    return kConversions;
}

} // namespace cannery::tests
