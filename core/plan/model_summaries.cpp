#include "core/plan/model_parts.h"

#include "kernels/device/row_blocks.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <numeric>

namespace cannery::plan {

namespace {

void appendValues(std::span<const float> values, std::vector<float>& all)
{
    all.insert(all.end(), values.begin(), values.end());
}

/// In lanes, which the compiler turns into vector code.
std::int64_t zerosIn(std::span<const float> values)
{
    constexpr std::size_t kLanes = 16;
    std::array<std::int32_t, kLanes> zeros{};
    std::size_t i = 0;
    for (; i + kLanes <= values.size(); i += kLanes) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            zeros[lane] += values[i + lane] == 0.0F ? 1 : 0;
        }
    }
    for (; i < values.size(); ++i) {
        zeros[0] += values[i] == 0.0F ? 1 : 0;
    }
    return std::accumulate(zeros.begin(), zeros.end(), std::int64_t{0});
}

std::int64_t zerosIn(kernels::ThreadPool& pool, std::span<const float> values)
{
    std::atomic<std::int64_t> zeros{0};
    kernels::forEachBlock(pool, static_cast<std::int64_t>(values.size()),
                          4 * kernels::kBlockElements, [&](kernels::BlockRange block, int) {
                              zeros += zerosIn(values.subspan(block.first, block.count));
                          });
    return zeros;
}

/// tf.nn.zero_fraction: 0 of nothing is NaN.
float zeroFraction(kernels::ThreadPool& pool, std::span<const std::span<const float>> pieces)
{
    std::int64_t zeros = 0;
    std::size_t all = 0;
    for (const std::span<const float> piece : pieces) {
        zeros += zerosIn(pool, piece);
        all += piece.size();
    }
    return static_cast<float>(zeros) / static_cast<float>(all);
}

} // namespace

std::vector<ModelSummary> Model::summaries()
{
    Parts& parts = *m_parts;
    std::vector<ModelSummary> summaries;
    for (const graph::Summary& wanted : parts.lowered.graph.summaries) {
        ModelSummary& summary = summaries.emplace_back();
        summary.tag = wanted.tag;
        summary.histogram = wanted.kind == graph::SummaryKind::Histogram;
        std::vector<std::span<const float>> pieces;
        if (wanted.value >= 0) {
            pieces.push_back(parts.network->valuesOf(wanted.value, parts.rows).flat());
        }
        for (const graph::VariableId variable : wanted.variables) {
            pieces.push_back(parts.variables.span(variable));
        }
        if (summary.histogram) {
            for (const std::span<const float> piece : pieces) {
                appendValues(piece, summary.values);
            }
        } else if (wanted.kind == graph::SummaryKind::ZeroFraction) {
            summary.scalar = zeroFraction(parts.pool, pieces);
        } else {
            summary.scalar = pieces.empty() || pieces[0].empty() ? 0.0F : pieces[0].front();
        }
    }
    return summaries;
}

} // namespace cannery::plan
