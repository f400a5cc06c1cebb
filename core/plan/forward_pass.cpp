// SPDX-License-Identifier: Apache-2.0
#include "core/plan/forward_pass.h"

#include "core/plan/model_parts.h"
#include "kernels/device/flush_denormals.h"

#include <algorithm>

namespace cannery::plan {

struct ForwardPass::Parts
{
    explicit Parts(Model::Parts& ofModel) : model(ofModel) {}

    void prepare(std::int64_t maxRows)
    {
        network->prepare(model.variables, maxRows);
        worker.scratch.reserve(maxRows);
    }

    Model::Parts& model;
    std::unique_ptr<Network> network;
    layers::Worker worker;
    std::vector<float> learned;      ///< logits of a learner
    std::int64_t rows = 0;           ///< of the last batch
    std::size_t headPredictions = 0; ///< of the last batch; explanations follow them
};

ForwardPass::ForwardPass(std::unique_ptr<Parts> parts) : m_parts(std::move(parts)) {}
ForwardPass::~ForwardPass() = default;

Result<std::unique_ptr<ForwardPass>> Model::createForwardPass(std::int64_t maxRows)
{
    CANNERY_TRY(bringState());
    auto parts = std::make_unique<ForwardPass::Parts>(*m_parts);
    const graph::LayerGraph& graph = m_parts->lowered.graph;
    CANNERY_TRY_ASSIGN(parts->network,
                       Network::create(graph, std::vector<Training>(graph.variables.size())));
    parts->prepare(maxRows);
    return std::unique_ptr<ForwardPass>(new ForwardPass(std::move(parts)));
}

void ForwardPass::predict(const features::EncodedRows& batch,
                          std::vector<heads::Prediction>& predictions)
{
    const kernels::FlushDenormals flush;
    Parts& parts = *m_parts;
    if (batch.rowCount > parts.network->maxRows()) {
        parts.prepare(batch.rowCount);
    }
    parts.rows = batch.rowCount;
    parts.network->bindInputs(batch);
    parts.network->forward({.pool = parts.worker.pool,
                            .workers = {&parts.worker, 1},
                            .mode = layers::Mode::Predict,
                            .rows = batch.rowCount,
                            .seed = 0,
                            .step = 0});
    if (const Learner* learner = parts.model.learner.get()) {
        const std::int64_t width = parts.model.head().logitsWidth();
        parts.learned.resize(static_cast<std::size_t>(batch.rowCount * width));
        learner->forward(
            batch, kernels::matrixView(std::span(parts.learned), batch.rowCount, width), nullptr);
    }
    predictions.resize(std::min(predictions.size(), parts.headPredictions));
    parts.model.head().predict(parts.worker.pool, logits(), batch.rowCount, predictions);
    parts.headPredictions = predictions.size();
    parts.model.groupBySteps(*parts.network, predictions);
    if (parts.model.explains) {
        parts.model.learner->explain(batch, predictions);
    }
}

kernels::ConstMatrixView ForwardPass::logits() const
{
    if (m_parts->model.learner != nullptr) {
        return kernels::matrixView(std::span<const float>(m_parts->learned), m_parts->rows,
                                   m_parts->model.head().logitsWidth());
    }
    return m_parts->network->valuesOf(m_parts->model.lowered.graph.logits, m_parts->rows);
}

} // namespace cannery::plan
