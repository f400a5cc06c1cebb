// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/pictures/adjusting.h"
#include "core/pictures/fitting.h"
#include "core/pictures/resize.h"
#include "core/pictures/transform.h"
#include "tests/golden/images/golden_arrays.h"

#include <cmath>
#include <limits>
#include <map>
#include <optional>

/// Calls of tf.image, of Keras's preprocessing layers and of the transforms behind its random ones,
/// against ours.
namespace cannery::tests {

inline pictures::ResizeMethod resizeMethodOf(const QString& name)
{
    return pictures::resizeMethodNamed(name.isEmpty() ? "bilinear" : name.toStdString()).value();
}

inline pictures::PictureView<float> viewOf(const pictures::Picture& picture)
{
    return {picture.values.data(), picture.height, picture.width, picture.channels};
}

inline pictures::Picture copyOf(const pictures::PictureView<float>& view)
{
    pictures::Picture copy{view.height, view.width, view.channels, {}};
    for (std::int64_t y = 0; y < view.height; ++y) {
        copy.values.insert(copy.values.end(), view.row(y),
                           view.row(y) + view.width * view.channels);
    }
    return copy;
}

/// What the transforms behind the random layers make of it; nothing for other operations.
inline std::optional<pictures::Picture> transformed(const QString& op, const QJsonObject& arguments,
                                                    const pictures::Picture& picture)
{
    using pictures::Fill;
    static const std::map<QString, Fill> kFills{{"reflect", Fill::Reflect},
                                                {"wrap", Fill::Wrap},
                                                {"constant", Fill::Constant},
                                                {"nearest", Fill::Nearest}};
    const auto number = [&](const char* list, int index) {
        return static_cast<float>(arguments[list].toArray()[index].toDouble());
    };
    pictures::AffineMap map;
    if (op == "transform.rotation") {
        map = pictures::rotationBy(static_cast<float>(arguments["angle"].toDouble()),
                                   picture.height, picture.width);
    } else if (op == "transform.zoom") {
        map =
            pictures::zoomBy(number("zooms", 1), number("zooms", 0), picture.height, picture.width);
    } else if (op == "transform.translation") {
        map = pictures::translationBy(number("pixels", 1), number("pixels", 0));
    } else {
        return std::nullopt;
    }
    pictures::Picture result =
        pictures::Picture::zeros(picture.height, picture.width, picture.channels);
    pictures::transform(viewOf(picture), map,
                        {.fill = kFills.at(arguments["fill_mode"].toString("reflect")),
                         .takesNearest = arguments["interpolation"] == "nearest",
                         .fillValue = static_cast<float>(arguments["fill_value"].toDouble(0))},
                        result.values.data());
    return result;
}

/// The same for what keeps the size of a picture of floats.
inline std::optional<pictures::Picture> adjusted(const QString& op, const QJsonObject& arguments,
                                                 const pictures::Picture& picture)
{
    constexpr pictures::ValueRange kAll{-std::numeric_limits<float>::max(),
                                        std::numeric_limits<float>::max()};
    const pictures::PictureView<float> view = viewOf(picture);
    const auto number = [&](const char* name, double unset) {
        return static_cast<float>(arguments[name].toDouble(unset));
    };
    pictures::Picture result = picture;
    if (op == "flip_left_right" || op == "flip_up_down") {
        pictures::mirror(view,
                         {.leftRight = op == "flip_left_right", .upDown = op == "flip_up_down"},
                         result.values.data());
    } else if (op == "adjust_contrast") {
        pictures::stretchContrast(view, number("contrast_factor", 1), kAll, result.values.data());
    } else if (op == "adjust_brightness") {
        pictures::lighten(view, number("delta", 0), kAll, result.values.data());
    } else if (op == "per_image_standardization") {
        pictures::standardize(result);
    } else {
        return std::nullopt;
    }
    return result;
}

/// And for what resizes and cuts.
inline std::optional<pictures::Picture> resized(const QString& op, const QJsonObject& arguments,
                                                pictures::Picture picture)
{
    using namespace pictures;
    const PictureView<float> view = viewOf(picture);
    const QString method =
        arguments[op == "layers.Resizing" ? "interpolation" : "method"].toString();
    const ResizeOptions options{.method = resizeMethodOf(method),
                                .antialias = arguments["antialias"].toBool()};
    const QJsonArray size = arguments["size"].toArray();
    const std::int64_t height =
        arguments["height"].toInt(arguments["target_height"].toInt(size[0].toInt()));
    const std::int64_t width =
        arguments["width"].toInt(arguments["target_width"].toInt(size[1].toInt()));
    if (op == "central_crop") {
        const double fraction = arguments["central_fraction"].toDouble();
        return fraction > 0 && fraction <= 1 ? std::optional(copyOf(centralCrop(view, fraction)))
                                             : std::nullopt;
    }
    if (op == "resize_with_pad") {
        return resizeWithPad(view, height, width, options);
    }
    if (op == "layers.CenterCrop" && view.height >= height && view.width >= width) {
        return copyOf(
            view.part((view.height - height) / 2, (view.width - width) / 2, height, width));
    }
    if (op == "smart_resize" || op == "layers.CenterCrop" ||
        arguments["crop_to_aspect_ratio"].toBool()) {
        return resize(cropToProportions(view, height, width), height, width, options);
    }
    if (op == "guide_pipeline") {
        for (float& value : picture.values) {
            value = value / 127.5F - 1;
        }
    }
    const bool isResize = (op == "resize" && !arguments["preserve_aspect_ratio"].toBool()) ||
                          op == "layers.Resizing" || op == "guide_pipeline";
    return isResize ? std::optional(resize(view, height, width, options)) : std::nullopt;
}

/// How far a result may be from TensorFlow's, relative to its largest value: 0 but where TensorFlow
/// sums a mean in an order of its own, or has a sine, a cosine or an exponential of its own.
inline double noiseOf(const QString& op, const QJsonObject& arguments)
{
    const QString method =
        arguments[op == "layers.Resizing" ? "interpolation" : "method"].toString();
    const bool hasNoise = op == "per_image_standardization" || op == "adjust_contrast" ||
                          op == "transform.rotation" || method.startsWith("lanczos") ||
                          method == "gaussian";
    return hasNoise ? 1e-6 : 0;
}

/// A call of `calls` in the "operations.json" of a folder, whose name ends in '/'.
inline CallComparison compareOperation(const std::string& folder, const QJsonObject& call)
{
    const auto array = [&](const char* key) {
        return goldenArray(folder + "operations.npz", call[key].toString().toStdString());
    };
    const QString op = call["op"].toString();
    const QJsonObject arguments = call["arguments"].toObject();
    const GoldenArray input = array("input");
    if (!call["result"].isString()) {
        return CallComparison::without("TensorFlow refuses it");
    }
    const bool staysWhole = op.startsWith("adjust_");
    if (input.shape.size() != 3 || (staysWhole && input.kind != storage::NpyKind::Float)) {
        return CallComparison::without("ours takes one picture of floats");
    }
    const pictures::Picture picture{input.shape[0], input.shape[1], input.shape[2],
                                    std::vector<float>(input.values.begin(), input.values.end())};
    std::optional<pictures::Picture> found = transformed(op, arguments, picture);
    found = found ? found : adjusted(op, arguments, picture);
    found = found ? found : resized(op, arguments, picture);
    if (!found) {
        return CallComparison::without("no operation of ours");
    }
    const GoldenArray expected = array("result");
    if (std::vector<std::int64_t>{found->height, found->width, found->channels} != expected.shape) {
        return {"has another shape", {}};
    }
    double largest = 0;
    for (const double value : expected.values) {
        largest = std::max(largest, std::abs(value));
    }
    const double tolerance = noiseOf(op, arguments) * (1 + largest);
    for (std::size_t i = 0; i < expected.values.size(); ++i) {
        if (!(std::abs(double{found->values[i]} - expected.values[i]) <= tolerance)) {
            return {QString("value %1 is %2, not %3")
                        .arg(i)
                        .arg(found->values[i], 0, 'g', 9)
                        .arg(expected.values[i], 0, 'g', 9),
                    {}};
        }
    }
    return {};
}

} // namespace cannery::tests
