// SPDX-License-Identifier: Apache-2.0
#include "core/pictures/resize_taps.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace cannery::pictures {

namespace {

/// Where an output position is in the input, from the middle of the first pixel.
float centreOf(std::int64_t position, float scale)
{
    return (static_cast<float>(position) + 0.5F) * scale - 0.5F;
}

/// Keys' cubic convolution with a = -1/2 (R. Keys, 1981) at distances of whole 1/1024.
class CubicTable
{
public:
    static constexpr std::int64_t kSteps = 1024;

    CubicTable()
    {
        constexpr double kA = -0.5;
        for (std::int64_t i = 0; i <= kSteps; ++i) {
            auto x = static_cast<float>(static_cast<double>(i) / kSteps);
            auto& [near, far] = m_weights[static_cast<std::size_t>(i)];
            near = static_cast<float>(((kA + 2) * x - (kA + 3)) * x * x + 1);
            x += 1;
            far = static_cast<float>(((kA * x - 5 * kA) * x + 8 * kA) * x - 4 * kA);
        }
    }

    float near(std::int64_t step) const { return m_weights[static_cast<std::size_t>(step)].first; }
    float far(std::int64_t step) const { return m_weights[static_cast<std::size_t>(step)].second; }

private:
    /// Up to one pixel away, and between one and two.
    std::array<std::pair<float, float>, kSteps + 1> m_weights;
};

} // namespace

float resizeScale(std::int64_t in, std::int64_t out)
{
    return static_cast<float>(in) / static_cast<float>(out);
}

std::vector<std::int64_t> nearestPlaces(std::int64_t in, std::int64_t out)
{
    const float scale = resizeScale(in, out);
    std::vector<std::int64_t> nearest;
    for (std::int64_t i = 0; i < out; ++i) {
        const auto place =
            static_cast<std::int64_t>(std::floor((static_cast<float>(i) + 0.5F) * scale));
        nearest.push_back(std::min(place, in - 1));
    }
    return nearest;
}

std::vector<Between> betweens(std::int64_t in, std::int64_t out)
{
    const float scale = resizeScale(in, out);
    std::vector<Between> all;
    for (std::int64_t i = 0; i < out; ++i) {
        const float centre = centreOf(i, scale);
        const float floor = std::floor(centre);
        all.push_back({std::max<std::int64_t>(static_cast<std::int64_t>(floor), 0),
                       std::min<std::int64_t>(static_cast<std::int64_t>(std::ceil(centre)), in - 1),
                       centre - floor});
    }
    return all;
}

std::vector<CubicTaps> cubicTaps(std::int64_t in, std::int64_t out)
{
    static const CubicTable kTable;
    const float scale = resizeScale(in, out);
    std::vector<CubicTaps> all;
    for (std::int64_t i = 0; i < out; ++i) {
        const float centre = centreOf(i, scale);
        const auto base = static_cast<std::int64_t>(std::floor(centre));
        const float fraction = centre - static_cast<float>(base);
        // Halves to even, as lrintf() rounds.
        const auto step = static_cast<std::int64_t>(
            std::nearbyint(fraction * static_cast<float>(CubicTable::kSteps)));
        const std::array<float, 4> weights{kTable.far(step), kTable.near(step),
                                           kTable.near(CubicTable::kSteps - step),
                                           kTable.far(CubicTable::kSteps - step)};
        CubicTaps& taps = all.emplace_back();
        for (std::size_t tap = 0; tap < weights.size(); ++tap) {
            const std::int64_t place = base - 1 + static_cast<std::int64_t>(tap);
            taps.places[tap] = std::clamp<std::int64_t>(place, 0, in - 1);
            // Outside the picture there is nothing, not its border again.
            taps.weights[tap] = taps.places[tap] == place ? weights[tap] : 0.0F;
        }
        const float sum = taps.weights[0] + taps.weights[1] + taps.weights[2] + taps.weights[3];
        if (std::abs(sum) >= 1000.0F * std::numeric_limits<float>::min()) {
            const float factor = 1.0F / sum;
            for (float& weight : taps.weights) {
                weight *= factor;
            }
        }
    }
    return all;
}

std::vector<Cover> covers(std::int64_t in, std::int64_t out)
{
    const float scale = resizeScale(in, out);
    std::vector<Cover> all;
    for (std::int64_t i = 0; i < out; ++i) {
        const float from = static_cast<float>(i) * scale;
        const float to = static_cast<float>(i + 1) * scale;
        Cover& cover = all.emplace_back();
        cover.begin = static_cast<std::int64_t>(std::floor(from));
        const auto end = static_cast<std::int64_t>(std::ceil(to));
        for (std::int64_t place = cover.begin; place < end; ++place) {
            const auto left = static_cast<float>(place);
            const auto right = static_cast<float>(place + 1);
            if (left < from) {
                cover.shares.push_back(right > to ? scale : right - from);
            } else {
                cover.shares.push_back(right > to ? to - left : 1.0F);
            }
        }
    }
    return all;
}

} // namespace cannery::pictures
