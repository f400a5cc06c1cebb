// SPDX-License-Identifier: Apache-2.0
#include "core/heads/head_loss.h"

#include "storage/tf/graphs/float_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace cannery::heads {

using kernels::ConstMatrixView;

LossNodes HeadLoss::emit(storage::GraphDefBuilder& graph, const SupervisedInputs& inputs,
                         float labelOffset, float labelScale) const
{
    SupervisedInputs scaled = inputs;
    if (labelOffset != 0.0F || labelScale != 1.0F) {
        const storage::FloatNodes values(graph);
        scaled.labels = values.divide(values.subtract(inputs.labels, values.number(labelOffset)),
                                      values.number(labelScale));
    }
    return emitLoss(graph, m_kind, m_logitsWidth, m_loss.reduction(), scaled);
}

std::vector<metrics::MetricValue> lossSummaries(const std::string& name, double loss)
{
    std::vector<metrics::MetricValue> values;
    // TensorFlow's head writes its loss under its own name first.
    if (!name.empty()) {
        values.push_back({.name = "loss/" + name, .value = loss});
    }
    values.push_back({.name = "loss", .value = loss});
    return values;
}

SupervisedStart::SupervisedStart(storage::GraphDefBuilder& graph, const HeadOptions& options,
                                 const HeadLoss& loss, const SupervisedInputs& inputs,
                                 float labelOffset, float labelScale)
    : scope(graph.enterExactly(options.scopeBelow(graph.scope())))
{
    const LossNodes made = loss.emit(graph, inputs, labelOffset, labelScale);
    nodes.loss = made.loss;
    nodes.logitsGrad = made.logitsGrad;
    losses = {.predictions = made.losses, .labels = {}, .weights = inputs.weights};
}

std::span<const float> flatten(ConstMatrixView view, std::vector<float>& buffer)
{
    // Without gaps a view is flat already.
    if (view.contiguous()) {
        return view.flat();
    }
    buffer.resize(static_cast<std::size_t>(view.rows * view.cols));
    auto out = buffer.begin();
    for (std::int64_t row = 0; row < view.rows; ++row) {
        const auto values = view.row(row);
        out = std::copy(values.begin(), values.end(), out);
    }
    return buffer;
}

std::span<const float> flattenWeights(ConstMatrixView weights, std::int64_t width,
                                      std::vector<float>& buffer)
{
    if (weights.data == nullptr) {
        return {};
    }
    if (weights.cols == width) {
        return flatten(weights, buffer);
    }
    buffer.resize(static_cast<std::size_t>(weights.rows * width));
    auto out = buffer.begin();
    for (std::int64_t row = 0; row < weights.rows; ++row) {
        // One weight for a row, repeated for each of its values.
        out = std::fill_n(out, width, *weights.at(row));
    }
    return buffer;
}

void addThresholdMetrics(std::vector<HeadMetric>& metrics, std::span<const float> thresholds,
                         const std::string& headName, int series)
{
    using metrics::MetricKind;
    struct Row
    {
        MetricKind kind;
        std::string_view key;
    };
    constexpr std::array kRows{Row{MetricKind::ThresholdedAccuracy, "accuracy"},
                               Row{MetricKind::Precision, "precision"},
                               Row{MetricKind::Recall, "recall"}};
    for (const float threshold : thresholds) {
        for (const Row& row : kRows) {
            // The name as TensorFlow's heads print it: "%g".
            std::string name = fmt::format("{}/positive_threshold_{:g}", row.key, threshold);
            if (!headName.empty()) {
                name += "/" + headName;
            }
            metrics.push_back({.name = std::move(name),
                               .kind = row.kind,
                               .series = series,
                               .threshold = threshold});
        }
    }
}

} // namespace cannery::heads
