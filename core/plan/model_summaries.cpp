#include "core/plan/model_parts.h"

#include "kernels/ops/vector_ops.h"

namespace cannery::plan {

namespace {

void appendValues(std::span<const float> values, std::vector<float>& all)
{
    all.insert(all.end(), values.begin(), values.end());
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
        std::vector<float> values;
        if (wanted.value >= 0) {
            appendValues(parts.network->valuesOf(wanted.value, parts.rows).flat(), values);
        }
        for (const graph::VariableId variable : wanted.variables) {
            appendValues(parts.variables.span(variable), values);
        }
        if (summary.histogram) {
            summary.values = std::move(values);
        } else if (wanted.kind == graph::SummaryKind::ZeroFraction) {
            const auto count = static_cast<std::int64_t>(values.size());
            summary.scalar = kernels::vectorKernels().zeroFraction(
                parts.pool, kernels::matrixView(std::span<const float>(values), 1, count));
        } else {
            summary.scalar = values.empty() ? 0.0F : values.front();
        }
    }
    return summaries;
}

} // namespace cannery::plan
