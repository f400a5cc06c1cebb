// SPDX-License-Identifier: Apache-2.0
#include "core/plan/model.h"

#include "core/heads/head_catalog.h"
#include "core/plan/model_parts.h"
#include "core/plan/model_size.h"
#include "kernels/device/flush_denormals.h"

#include <algorithm>

namespace cannery::plan {

namespace {

/// The optimizer of each variable of the graph.
std::vector<Training> trainingOf(const graph::LayerGraph& graph,
                                 const std::vector<std::unique_ptr<PartOptimizer>>& optimizers)
{
    std::vector<Training> training(graph.variables.size());
    for (const auto& optimizer : optimizers) {
        for (const graph::VariableId id : optimizer->variables()) {
            training[static_cast<std::size_t>(id)] = {
                .trained = true, .untouchedRowsStay = optimizer->untouchedRowsStay()};
        }
    }
    return training;
}

heads::HeadBatch headBatch(const features::EncodedRows& batch, const heads::Head& head,
                           kernels::ConstMatrixView logits)
{
    heads::HeadBatch result{.logits = logits};
    result.labels = kernels::matrixView(std::span<const float>(batch.labels), batch.rowCount,
                                        head.labelWidth());
    if (head.weightWidth() > 0) {
        result.weights = kernels::matrixView(std::span<const float>(batch.weights), batch.rowCount,
                                             head.weightWidth());
    }
    return result;
}

} // namespace

Model::Model(std::unique_ptr<Parts> parts) : m_parts(std::move(parts)) {}
Model::~Model() = default;

Result<std::unique_ptr<Model>> Model::create(graph::LoweredModel lowered,
                                             const ModelOptions& options)
{
    CANNERY_TRY(
        checkFits(lowered, {.batchSize = options.maxBatchSize, .training = options.training}));
    auto parts = std::make_unique<Parts>(std::move(lowered), options);
    const graph::LayerGraph& graph = parts->lowered.graph;
    CANNERY_TRY_ASSIGN(parts->head, heads::makeHead(parts->lowered.head));
    CANNERY_TRY_ASSIGN(parts->variables, Variables::create(graph, options.seed, options.folder));
    if (options.training) {
        for (const graph::ScopedOptimizer& description : parts->lowered.optimizers) {
            CANNERY_TRY_ASSIGN(auto optimizer,
                               PartOptimizer::create(description, graph, parts->variables));
            parts->optimizers.push_back(std::move(optimizer));
        }
    }
    parts->trainers.resize(graph.variables.size());
    for (const auto& optimizer : parts->optimizers) {
        for (std::size_t index = 0; index < optimizer->variables().size(); ++index) {
            const graph::VariableId id = optimizer->variables()[index];
            parts->trainers[static_cast<std::size_t>(id)] = {optimizer.get(), index};
        }
    }
    CANNERY_TRY_ASSIGN(parts->network,
                       Network::create(graph, trainingOf(graph, parts->optimizers)));
    parts->prepare(options.maxBatchSize);
    return std::unique_ptr<Model>(new Model(std::move(parts)));
}

void Model::Parts::prepare(std::int64_t maxRows)
{
    network->prepare(variables, maxRows);
    head->reserve(maxRows);
    for (layers::Worker& worker : workers) {
        worker.scratch.reserve(maxRows);
    }
    for (const auto& optimizer : optimizers) {
        std::vector<VariableGradient*> gradients;
        for (const graph::VariableId id : optimizer->variables()) {
            gradients.push_back(network->gradient(id));
        }
        optimizer->bind(gradients);
    }
}

void Model::Parts::begin(const features::EncodedRows& batch)
{
    if (batch.rowCount > network->maxRows()) {
        prepare(batch.rowCount);
    }
    network->bindInputs(batch);
    rows = batch.rowCount;
}

layers::StepContext Model::Parts::context(layers::Mode mode, std::int64_t step)
{
    return {.pool = pool,
            .workers = workers,
            .mode = mode,
            .rows = rows,
            .seed = options.seed,
            .step = static_cast<std::uint64_t>(step)};
}

double Model::computeGradients(const features::EncodedRows& batch, std::int64_t globalStep)
{
    const kernels::FlushDenormals flush;
    Parts& parts = *m_parts;
    parts.begin(batch);
    const layers::StepContext step = parts.context(layers::Mode::Train, globalStep);
    parts.network->forward(step);
    const graph::ValueId logitsId = parts.lowered.graph.logits;
    const double loss = parts.head->loss(parts.pool, headBatch(batch, *parts.head, logits()),
                                         parts.network->gradientOf(logitsId, parts.rows));
    parts.network->backward(step);
    return loss;
}

double Model::train(const features::EncodedRows& batch, std::int64_t globalStep)
{
    const kernels::FlushDenormals flush;
    const double loss = computeGradients(batch, globalStep);
    m_parts->gradientNorm.reset();
    if (m_parts->wantsGradientNorm) {
        m_parts->measureGradient();
    }
    for (const auto& optimizer : m_parts->optimizers) {
        optimizer->step(m_parts->pool, m_parts->workers, globalStep);
    }
    return loss;
}

void Model::judge(const features::EncodedRows& batch, metrics::MetricSet& metrics)
{
    const kernels::FlushDenormals flush;
    m_parts->head->evaluate(m_parts->pool, headBatch(batch, *m_parts->head, logits()), metrics);
}

void Model::forward(const features::EncodedRows& batch, layers::Mode mode)
{
    const kernels::FlushDenormals flush;
    m_parts->begin(batch);
    m_parts->network->forward(m_parts->context(mode, 0));
}

kernels::ConstMatrixView Model::logits() const
{
    return m_parts->network->valuesOf(m_parts->lowered.graph.logits, m_parts->rows);
}

double Model::evaluate(const features::EncodedRows& batch, metrics::MetricSet& metrics)
{
    const kernels::FlushDenormals flush;
    forward(batch, layers::Mode::Evaluate);
    return m_parts->head->evaluate(m_parts->pool, headBatch(batch, *m_parts->head, logits()),
                                   metrics);
}

void Model::predict(const features::EncodedRows& batch, std::vector<heads::Prediction>& predictions)
{
    const kernels::FlushDenormals flush;
    forward(batch, layers::Mode::Predict);
    m_parts->head->predict(m_parts->pool, logits(), predictions);
}

std::vector<float> Model::gradient(const std::string& variable) const
{
    const auto& variables = m_parts->lowered.graph.variables;
    for (std::size_t index = 0; index < variables.size(); ++index) {
        VariableGradient* gradient =
            m_parts->network->gradient(static_cast<graph::VariableId>(index));
        if (variables[index].name == variable && gradient != nullptr) {
            std::vector<float> dense(
                static_cast<std::size_t>(variables[index].shape.elementCount()), 0.0F);
            gradient->addTo(dense);
            return dense;
        }
    }
    return {};
}

const graph::LayerGraph& Model::graph() const
{
    return m_parts->lowered.graph;
}

heads::Head& Model::head()
{
    return *m_parts->head;
}

kernels::ThreadPool& Model::threadPool()
{
    return m_parts->pool;
}

} // namespace cannery::plan
