// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/images/image.h"
#include "tests/golden/images/golden_arrays.h"

#include <QMap>
#include <QStringList>

#include <optional>

/// Calls of tf.io.decode_image and its kind on a file, against our reader.
namespace cannery::tests {

inline std::vector<double> valuesOf(const storage::Image& image)
{
    return std::visit(
        [](const auto& values) { return std::vector<double>(values.begin(), values.end()); },
        image.values);
}

/// Bits of a number in a PNG, and whether it says which colours are transparent.
struct PngHeader
{
    int bits = 0;
    bool hasTransparency = false;
};

/// Of the bytes of a PNG; nothing for others.
inline std::optional<PngHeader> pngHeaderOf(const std::string& bytes)
{
    constexpr std::size_t kPlaceOfBits = 24;
    if (!bytes.starts_with("\x89PNG") || bytes.size() <= kPlaceOfBits) {
        return std::nullopt;
    }
    return PngHeader{static_cast<unsigned char>(bytes[kPlaceOfBits]),
                     bytes.find("tRNS") != std::string::npos};
}

/// Why TensorFlow refuses what we read; empty if there is no such reason.
inline QString reasonToReadMore(const storage::Image& image, int channels)
{
    const bool isBmp = image.format == storage::ImageFormat::Bmp;
    if (image.format == storage::ImageFormat::Jpeg && channels == 4) {
        return "a JPEG gets an opaque alpha";
    }
    if (channels == 1) {
        return isBmp ? "a BMP becomes grey" : "CMYK becomes grey";
    }
    return isBmp ? "bytes behind the pixels of a BMP do not matter" : "";
}

/// Why we refuse what TensorFlow reads.
inline QString reasonToRefuse(const std::string& bytes, const std::string& id)
{
    if (bytes.starts_with("GIF")) {
        return "GIF is not read";
    }
    return id == "image.too_large" || id == "image.too_dense" ? "more values than we allow" : "";
}

/// Options of ours for a call; the reason where we have none.
inline std::optional<storage::ImageOptions> optionsOf(const QString& op,
                                                      const QJsonObject& arguments, QString& reason)
{
    storage::ImageOptions options{.upright = false};
    static const QMap<QString, QString> kNotOurs{
        {"decode_and_crop_jpeg", "we read whole pictures"},
        {"extract_jpeg_shape", "we read no size alone"},
        {"is_jpeg", "we have no such question"},
        {"ratio", "we read JPEGs in full size"},
        {"acceptable_fraction", "a cut JPEG is an error"},
        {"try_recover_truncated", "a cut JPEG is an error"},
    };
    if (kNotOurs.contains(op)) {
        reason = kNotOurs[op];
        return std::nullopt;
    }
    for (auto argument = arguments.begin(); argument != arguments.end(); ++argument) {
        const QJsonValue value = argument.value();
        if (argument.key() == "channels") {
            options.channels = value.toInt();
        } else if (argument.key() == "dtype" && value == "uint16") {
            options.sixteenBits = true;
        } else if (argument.key() == "dtype" && value != "uint8") {
            reason = "floats are made by image_folder";
        } else if (kNotOurs.contains(argument.key())) {
            reason = kNotOurs[argument.key()];
        } else if ((argument.key() == "fancy_upscaling" && !value.toBool()) ||
                   (argument.key() == "dct_method" && value == "INTEGER_ACCURATE")) {
            reason = "JPEGs are read by TensorFlow's default method";
        }
    }
    if (op == "decode_gif") {
        options.channels = 3;
    }
    return reason.isEmpty() ? std::optional(options) : std::nullopt;
}

/// Compares pixels; `addedAlpha` is what stands in the place of 255 for an alpha that TensorFlow
/// adds to a PNG of fewer than 8 bits.
inline CallComparison comparePixels(const storage::Image& image, const GoldenArray& golden,
                                    std::optional<double> addedAlpha)
{
    std::vector<std::int64_t> shape{image.height, image.width, image.channels};
    // decode_gif, and decode_image without expand_animations: false, put frames first.
    if (golden.shape.size() == 4) {
        shape.insert(shape.begin(), 1);
    }
    if (shape != golden.shape || golden.values.empty()) {
        return {"has another shape", {}};
    }
    const std::vector<double> values = valuesOf(image);
    bool isFaint = false;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const bool isAlpha = addedAlpha && i % 4 == 3;
        if (isAlpha && values[i] == 255 && golden.values[i] == *addedAlpha) {
            isFaint = true;
        } else if (values[i] != golden.values[i]) {
            return {QString("value %1 is %2, not %3").arg(i).arg(values[i]).arg(golden.values[i]),
                    {}};
        }
    }
    return isFaint ? CallComparison::without("an alpha that is added is opaque") : CallComparison();
}

/// A call of `files` in the "decoded.json" of a folder, whose name ends in '/'.
inline CallComparison compareDecoding(const std::string& folder, const QString& file,
                                      const QJsonObject& call)
{
    const std::string bytes = *storage::readWholeFile(folder + "files/" + file.toStdString());
    const QString op = call["op"].toString();
    QString reason;
    const auto options = optionsOf(op, call["arguments"].toObject(), reason);
    if (!options) {
        return CallComparison::without(reason);
    }
    const Result<storage::Image> image = storage::readImage(bytes, file.toStdString(), *options);
    const bool isTheirs = call["result"].isString();
    if (!image) {
        const QString why = reasonToRefuse(bytes, image.error().id);
        if (!isTheirs) {
            return {};
        }
        return why.isEmpty() ? CallComparison{QString::fromStdString(image.error().sentence), {}}
                             : CallComparison::without(why);
    }
    const bool isBmp = image->format == storage::ImageFormat::Bmp;
    if (!isTheirs) {
        if (op != "decode_image" && isBmp != (op == "decode_bmp")) {
            return CallComparison::without("we have one reader for all formats");
        }
        if (call["error"] == "crash") {
            return CallComparison::without("TensorFlow dies");
        }
        const QString why = reasonToReadMore(*image, options->channels);
        return why.isEmpty() ? CallComparison{"is read, and TensorFlow refuses it", {}}
                             : CallComparison::without(why);
    }
    const auto png = pngHeaderOf(bytes);
    std::optional<double> addedAlpha;
    if (png && png->bits < 8 && !png->hasTransparency && options->channels == 4) {
        addedAlpha = (1 << png->bits) - 1;
    }
    const GoldenArray golden =
        goldenArray(folder + "decoded.npz", call["result"].toString().toStdString());
    CallComparison comparison = comparePixels(*image, golden, addedAlpha);
    constexpr std::size_t kPlaceOfBmpBits = 28;
    if (!comparison.difference.isEmpty() && isBmp && bytes[kPlaceOfBmpBits] == 8) {
        return CallComparison::without("a BMP of 8 bits has the colours of its palette");
    }
    return comparison;
}

} // namespace cannery::tests
