// SPDX-License-Identifier: Apache-2.0
#include "core/plan/forward_pass.h"

#include "core/heads/step_predictions.h"
#include "core/plan/learners/learner.h"
#include "kernels/device/flush_denormals.h"

#include <algorithm>

namespace cannery::plan {

void groupBySteps(const graph::LoweredModel& lowered, const Network& network,
                  std::vector<heads::Prediction>& predictions)
{
    if (!lowered.sequenceMask.empty()) {
        heads::groupBySteps(network.buffer(lowered.graph.logits).stepOffsets, lowered.sequenceMask,
                            predictions);
    }
}

Result<std::unique_ptr<ForwardPass>> ForwardPass::create(const Parts& parts, std::int64_t maxRows)
{
    std::unique_ptr<ForwardPass> pass(new ForwardPass(parts));
    const graph::LayerGraph& graph = parts.lowered.graph;
    CANNERY_TRY_ASSIGN(pass->m_network,
                       Network::create(graph, std::vector<Training>(graph.variables.size())));
    pass->prepare(maxRows);
    return pass;
}

void ForwardPass::prepare(std::int64_t maxRows)
{
    m_network->prepare(m_parts.variables, maxRows);
    m_worker.scratch.reserve(maxRows);
}

void ForwardPass::predict(const features::EncodedRows& batch,
                          std::vector<heads::Prediction>& predictions)
{
    const kernels::FlushDenormals flush;
    if (batch.rowCount > m_network->maxRows()) {
        prepare(batch.rowCount);
    }
    m_rows = batch.rowCount;
    m_network->bindInputs(batch);
    m_network->forward({.pool = m_worker.pool,
                        .workers = {&m_worker, 1},
                        .mode = layers::Mode::Predict,
                        .rows = batch.rowCount,
                        .seed = 0,
                        .step = 0});
    if (m_parts.learner != nullptr) {
        const std::int64_t width = m_parts.head.logitsWidth();
        m_learned.resize(static_cast<std::size_t>(batch.rowCount * width));
        m_parts.learner->forward(
            batch, kernels::matrixView(std::span(m_learned), batch.rowCount, width), nullptr);
    }
    predictions.resize(std::min(predictions.size(), m_headPredictions));
    m_parts.head.predict(m_worker.pool, logits(), batch.rowCount, predictions);
    m_headPredictions = predictions.size();
    groupBySteps(m_parts.lowered, *m_network, predictions);
    if (m_parts.explains) {
        m_parts.learner->explain(batch, predictions);
    }
}

kernels::ConstMatrixView ForwardPass::logits() const
{
    if (m_parts.learner != nullptr) {
        return kernels::matrixView(std::span<const float>(m_learned), m_rows,
                                   m_parts.head.logitsWidth());
    }
    return m_network->valuesOf(m_parts.lowered.graph.logits, m_rows);
}

} // namespace cannery::plan
