// SPDX-License-Identifier: Apache-2.0
// Operations that move numbers: transposes, zeros around, dimensions of 1 dropped; pixels into
// batches and back; and images of other sizes, by the definition of tf.image.resize (half-pixel
// centres, no antialias).

#include "core/export/graph_runner/op_call.h"
#include "core/export/graph_runner/strided.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace cannery::exporting {

using storage::HostTensor;

namespace {

Result<void> padWithZeros(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const auto values, call.values<float>(0));
    CANNERY_TRY_ASSIGN(const std::vector<std::int64_t> paddings, call.integers(1));
    const Shape& from = call.inputs[0]->tensor.shape;
    if (paddings.size() != from.dims.size() * 2 ||
        std::ranges::any_of(paddings, [](std::int64_t zeros) { return zeros < 0; })) {
        return call.invalid("has not two numbers of zeros for each dimension");
    }
    Shape shape = from;
    for (std::size_t i = 0; i < shape.dims.size(); ++i) {
        if (__builtin_add_overflow(shape.dims[i], paddings[2 * i], &shape.dims[i]) ||
            __builtin_add_overflow(shape.dims[i], paddings[2 * i + 1], &shape.dims[i])) {
            return call.invalid("puts too many zeros around its input");
        }
    }
    CANNERY_TRY_ASSIGN(const std::int64_t count, call.room(shape, sizeof(float)));
    const std::vector<std::int64_t> strides = rowMajorStrides(shape);
    std::int64_t first = 0;
    for (std::size_t i = 0; i < strides.size(); ++i) {
        first += paddings[2 * i] * strides[i];
    }
    std::vector<float> result(static_cast<std::size_t>(count), 0.0F);
    Walk walk(from, strides);
    for (const float value : values) {
        result[static_cast<std::size_t>(first + walk.offset())] = value;
        walk.next();
    }
    call.give(HostTensor::of(result, shape));
    return {};
}

Result<void> dropDimensionsOfOne(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const HostTensor* tensor, call.input(0));
    const auto named = call.attrOr("squeeze_dims", std::vector<std::int64_t>{});
    const std::int64_t rank = tensor->shape.rank();
    std::vector<bool> drops(static_cast<std::size_t>(rank), false);
    for (const std::int64_t dimension : named) {
        const std::int64_t place = dimension < 0 ? dimension + rank : dimension;
        if (place < 0 || place >= rank ||
            tensor->shape.dims[static_cast<std::size_t>(place)] != 1) {
            return call.invalid("drops a dimension that is not 1");
        }
        drops[static_cast<std::size_t>(place)] = true;
    }
    HostTensor result = *tensor;
    result.shape.dims.clear();
    for (std::size_t i = 0; i < drops.size(); ++i) {
        const std::int64_t size = tensor->shape.dims[i];
        if (named.empty() ? size != 1 : !drops[i]) {
            result.shape.dims.push_back(size);
        }
    }
    CANNERY_TRY(call.room(result.shape, *tensor));
    call.give(std::move(result));
    return {};
}

/// Images are cut into parts of pixels that are `down` and `right` apart; `top`, ... are zeros that
/// come first, or pixels that are cut off last.
struct PixelParts
{
    Shape images;
    std::int64_t down = 0;
    std::int64_t right = 0;
    std::int64_t top = 0;
    std::int64_t bottom = 0;
    std::int64_t left = 0;
    std::int64_t last = 0; ///< at the right

    std::int64_t parts() const { return down * right; }
};

Result<PixelParts> pixelPartsOf(const OpCall& call)
{
    CANNERY_TRY_ASSIGN(const HostTensor* tensor, call.input(0));
    CANNERY_TRY_ASSIGN(const std::vector<std::int64_t> block, call.integers(1));
    CANNERY_TRY_ASSIGN(const std::vector<std::int64_t> edges, call.integers(2));
    // Numbers of parts and of pixels are multiplied below.
    constexpr std::int64_t kMostApart = 65536;
    constexpr std::int64_t kMostEdge = std::numeric_limits<std::int32_t>::max();
    const auto isWithin = [](const std::vector<std::int64_t>& numbers, std::int64_t least,
                             std::int64_t most) {
        return std::ranges::all_of(numbers, [least, most](std::int64_t number) {
            return number >= least && number <= most;
        });
    };
    if (tensor->shape.rank() != 4 || block.size() != 2 || edges.size() != 4 ||
        !isWithin(block, 1, kMostApart) || !isWithin(edges, 0, kMostEdge)) {
        return call.invalid("takes images of four dimensions, two distances and four edges");
    }
    return PixelParts{.images = tensor->shape,
                      .down = block[0],
                      .right = block[1],
                      .top = edges[0],
                      .bottom = edges[1],
                      .left = edges[2],
                      .last = edges[3]};
}

/// Gives images of a shape, pixel by pixel: `source` is the index of the pixel of the input that
/// stands at (image, y, x), or -1 for zeros.
template <typename Source>
Result<void> givePixels(OpCall& call, const Shape& shape, const Source& source)
{
    CANNERY_TRY_ASSIGN(const auto values, call.values<float>(0));
    CANNERY_TRY_ASSIGN(const std::int64_t count, call.room(shape, sizeof(float)));
    const std::int64_t channels = shape.dims[3];
    std::vector<float> result(static_cast<std::size_t>(count), 0.0F);
    float* to = result.data();
    for (std::int64_t image = 0; image < shape.dims[0]; ++image) {
        for (std::int64_t y = 0; y < shape.dims[1]; ++y) {
            for (std::int64_t x = 0; x < shape.dims[2]; ++x, to += channels) {
                const std::int64_t pixel = source(image, y, x);
                if (pixel >= 0) {
                    std::copy_n(values.data() + pixel * channels, channels, to);
                }
            }
        }
    }
    call.give(HostTensor::of(result, shape));
    return {};
}

Result<void> pixelsToBatches(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const PixelParts to, pixelPartsOf(call));
    const std::int64_t count = to.images.dims[0];
    const std::int64_t height = to.images.dims[1];
    const std::int64_t width = to.images.dims[2];
    const std::int64_t rows = height + to.top + to.bottom;
    const std::int64_t columns = width + to.left + to.last;
    if (rows % to.down != 0 || columns % to.right != 0) {
        return call.invalid("cuts images into parts of different sizes");
    }
    const Shape shape{count * to.parts(), rows / to.down, columns / to.right, to.images.dims[3]};
    return givePixels(call, shape, [&](std::int64_t image, std::int64_t y, std::int64_t x) {
        const std::int64_t part = image / count;
        const std::int64_t row = y * to.down + part / to.right - to.top;
        const std::int64_t column = x * to.right + part % to.right - to.left;
        const bool isInside = row >= 0 && row < height && column >= 0 && column < width;
        return isInside ? (image % count * height + row) * width + column : -1;
    });
}

Result<void> batchesToPixels(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const PixelParts from, pixelPartsOf(call));
    const std::int64_t height = from.images.dims[1];
    const std::int64_t width = from.images.dims[2];
    const std::int64_t count = from.images.dims[0] / from.parts();
    const Shape shape{count, height * from.down - from.top - from.bottom,
                      width * from.right - from.left - from.last, from.images.dims[3]};
    if (from.images.dims[0] % from.parts() != 0 || shape.dims[1] < 0 || shape.dims[2] < 0) {
        return call.invalid("joins parts that do not fit together");
    }
    return givePixels(call, shape, [&](std::int64_t image, std::int64_t y, std::int64_t x) {
        const std::int64_t row = y + from.top;
        const std::int64_t column = x + from.left;
        const std::int64_t part = row % from.down * from.right + column % from.right;
        return ((part * count + image) * height + row / from.down) * width + column / from.right;
    });
}

/// A pixel that an output pixel is made of.
struct ResizeTap
{
    std::int64_t place = 0;
    double weight = 0;
};
using ResizeTaps = std::vector<ResizeTap>;
using ResizeRule = ResizeTaps (*)(std::int64_t in, std::int64_t out, std::int64_t position);

/// The middle of an output pixel, from the edge of the input; in float32, as TensorFlow has it.
float middleOf(std::int64_t in, std::int64_t out, std::int64_t position)
{
    const float scale = static_cast<float>(in) / static_cast<float>(out);
    return (static_cast<float>(position) + 0.5F) * scale;
}

ResizeTaps nearestTaps(std::int64_t in, std::int64_t out, std::int64_t position)
{
    const auto place = static_cast<std::int64_t>(std::floor(middleOf(in, out, position)));
    return {{std::min(place, in - 1), 1.0}};
}

ResizeTaps bilinearTaps(std::int64_t in, std::int64_t out, std::int64_t position)
{
    const float centre = middleOf(in, out, position) - 0.5F;
    const float floor = std::floor(centre);
    const double weight = double{centre - floor};
    return {{std::max<std::int64_t>(static_cast<std::int64_t>(floor), 0), 1.0 - weight},
            {std::min(static_cast<std::int64_t>(std::ceil(centre)), in - 1), weight}};
}

/// Keys' cubic convolution with a = -1/2, of a distance up to 2.
double keysWeight(double distance)
{
    const double t = std::abs(distance);
    return t <= 1.0 ? (1.5 * t - 2.5) * t * t + 1.0 : ((-0.5 * t + 2.5) * t - 4.0) * t + 2.0;
}

/// Distances are rounded to 1/1024; what is outside is left out, and the rest adds up to 1.
ResizeTaps bicubicTaps(std::int64_t in, std::int64_t out, std::int64_t position)
{
    const float centre = middleOf(in, out, position) - 0.5F;
    const float floor = std::floor(centre);
    const double fraction = std::nearbyint(double{centre - floor} * 1024.0) / 1024.0;
    ResizeTaps taps;
    double sum = 0.0;
    for (std::int64_t tap = -1; tap <= 2; ++tap) {
        const std::int64_t place = static_cast<std::int64_t>(floor) + tap;
        if (place >= 0 && place < in) {
            taps.push_back({place, keysWeight(static_cast<double>(tap) - fraction)});
            sum += taps.back().weight;
        }
    }
    for (ResizeTap& tap : taps) {
        tap.weight /= sum;
    }
    return taps;
}

template <ResizeRule kRule>
Result<void> resizeImages(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const auto images, call.values<float>(0));
    CANNERY_TRY_ASSIGN(const std::vector<std::int64_t> size, call.integers(1));
    const Shape& from = call.inputs[0]->tensor.shape;
    if (from.rank() != 4 || size.size() != 2 || size[0] < 1 || size[1] < 1 || from.dims[1] < 1 ||
        from.dims[2] < 1 || !call.attrOr("half_pixel_centers", false) ||
        call.attrOr("align_corners", false)) {
        return call.invalid("resizes in a way that is not known");
    }
    const std::int64_t channels = from.dims[3];
    const Shape shape{from.dims[0], size[0], size[1], channels};
    CANNERY_TRY_ASSIGN(const std::int64_t count, call.room(shape, sizeof(float)));
    std::vector<ResizeTaps> columns;
    for (std::int64_t x = 0; x < size[1] && count > 0; ++x) {
        columns.push_back(kRule(from.dims[2], size[1], x));
    }
    std::vector<float> result;
    result.reserve(static_cast<std::size_t>(count));
    for (std::int64_t row = 0; row < shape.dims[0] * size[0] && count > 0; ++row) {
        const ResizeTaps rows = kRule(from.dims[1], size[0], row % size[0]);
        const std::int64_t first = row / size[0] * from.dims[1];
        for (std::int64_t number = 0; number < size[1] * channels; ++number) {
            double sum = 0.0;
            for (const ResizeTap& y : rows) {
                for (const ResizeTap& x : columns[static_cast<std::size_t>(number / channels)]) {
                    const std::int64_t pixel = (first + y.place) * from.dims[2] + x.place;
                    sum +=
                        y.weight * x.weight *
                        double{
                            images[static_cast<std::size_t>(pixel * channels + number % channels)]};
                }
            }
            result.push_back(static_cast<float>(sum));
        }
    }
    call.give(HostTensor::of(result, shape));
    return {};
}

constexpr std::array kReshapingOps{
    OpRow{"BatchToSpaceND", batchesToPixels},
    OpRow{"Pad", padWithZeros},
    OpRow{"ResizeBicubic", resizeImages<bicubicTaps>},
    OpRow{"ResizeBilinear", resizeImages<bilinearTaps>},
    OpRow{"ResizeNearestNeighbor", resizeImages<nearestTaps>},
    OpRow{"SpaceToBatchND", pixelsToBatches},
    OpRow{"Squeeze", dropDimensionsOfOne},
};

} // namespace

std::span<const OpRow> reshapingOps()
{
    return kReshapingOps;
}

} // namespace cannery::exporting
