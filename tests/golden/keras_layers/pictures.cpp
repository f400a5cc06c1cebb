// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/keras_layers/conversions.h"

#include <array>
#include <cmath>

namespace cannery::tests {

namespace {

using Json = nlohmann::json;

/// Of a field of the schema that Keras's config names alike; unset: the default of both.
bool setInterpolation(const Json& config, auto& message)
{
    spec::PictureResize::Method kind = spec::PictureResize::bilinear;
    const bool isKnown =
        spec::PictureResize::Method_Parse(config.value("interpolation", "bilinear"), &kind);
    message.set_interpolation(kind);
    return isKnown;
}

bool setFill(const Json& config, auto& message)
{
    spec::FillMode::Kind kind = spec::FillMode::reflect;
    const bool isKnown = spec::FillMode::Kind_Parse(config.value("fill_mode", "reflect"), &kind);
    message.set_fill_mode(kind);
    message.set_fill_value(config.value("fill_value", 0.0));
    return isKnown && setInterpolation(config, message);
}

/// A number f is [-f, f].
std::array<double, 2> rangeOf(const Json& factor)
{
    if (factor.is_array()) {
        return {factor[0], factor[1]};
    }
    const double number = std::abs(factor.get<double>());
    return {-number, number};
}

bool setSize(const Json& config, auto& message)
{
    message.set_height(config["height"]);
    message.set_width(config["width"]);
    return true;
}

bool ofResizing(const Json& config, spec::Layer& layer)
{
    spec::ResizingLayer& message = *layer.mutable_resizing();
    message.set_crop_to_aspect_ratio(config.value("crop_to_aspect_ratio", false));
    return setSize(config, message) && setInterpolation(config, message);
}

bool ofCenterCrop(const Json& config, spec::Layer& layer)
{
    return setSize(config, *layer.mutable_center_crop());
}

bool ofRandomCrop(const Json& config, spec::Layer& layer)
{
    return setSize(config, *layer.mutable_random_crop());
}

bool ofRandomFlip(const Json& config, spec::Layer& layer)
{
    spec::FlipMode::Kind mode = spec::FlipMode::horizontal_and_vertical;
    const bool isKnown =
        spec::FlipMode::Kind_Parse(config.value("mode", "horizontal_and_vertical"), &mode);
    layer.mutable_random_flip()->set_mode(mode);
    return isKnown;
}

bool ofRandomRotation(const Json& config, spec::Layer& layer)
{
    spec::RandomRotationLayer& message = *layer.mutable_random_rotation();
    const auto [lower, upper] = rangeOf(config["factor"]);
    message.set_lower(lower);
    message.set_upper(upper);
    return setFill(config, message);
}

bool ofRandomZoom(const Json& config, spec::Layer& layer)
{
    spec::RandomZoomLayer& message = *layer.mutable_random_zoom();
    const auto [lower, upper] = rangeOf(config["height_factor"]);
    message.set_height_lower(lower);
    message.set_height_upper(upper);
    if (config.contains("width_factor") && !config["width_factor"].is_null()) {
        const auto [left, right] = rangeOf(config["width_factor"]);
        message.set_width_lower(left);
        message.set_width_upper(right);
    }
    return setFill(config, message);
}

bool ofRandomTranslation(const Json& config, spec::Layer& layer)
{
    spec::RandomTranslationLayer& message = *layer.mutable_random_translation();
    const auto [lower, upper] = rangeOf(config["height_factor"]);
    const auto [left, right] = rangeOf(config["width_factor"]);
    message.set_height_lower(lower);
    message.set_height_upper(upper);
    message.set_width_lower(left);
    message.set_width_upper(right);
    return setFill(config, message);
}

/// Its two numbers are parts below and above 1.
bool ofRandomContrast(const Json& config, spec::Layer& layer)
{
    spec::RandomContrastLayer& message = *layer.mutable_random_contrast();
    const Json& factor = config["factor"];
    message.set_lower(factor.is_array() ? factor[0] : factor);
    message.set_upper(factor.is_array() ? factor[1] : factor);
    return true;
}

bool ofRandomBrightness(const Json& config, spec::Layer& layer)
{
    spec::RandomBrightnessLayer& message = *layer.mutable_random_brightness();
    const auto [lower, upper] = rangeOf(config["factor"]);
    message.set_lower(lower);
    message.set_upper(upper);
    const Json values = config.value("value_range", Json{0.0, 255.0});
    message.set_value_min(values[0]);
    message.set_value_max(values[1]);
    return true;
}

constexpr auto kPictureConversions = std::to_array<ConversionRow>({
    {"CenterCrop", ofCenterCrop},
    {"RandomBrightness", ofRandomBrightness},
    {"RandomContrast", ofRandomContrast},
    {"RandomCrop", ofRandomCrop},
    {"RandomFlip", ofRandomFlip},
    {"RandomRotation", ofRandomRotation},
    {"RandomTranslation", ofRandomTranslation},
    {"RandomZoom", ofRandomZoom},
    {"Resizing", ofResizing},
});

} // namespace

std::span<const ConversionRow> pictureConversions()
{
    return kPictureConversions;
}

} // namespace cannery::tests
