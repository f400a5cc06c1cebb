// SPDX-License-Identifier: Apache-2.0
#include "tests/core/parameters/served_model.h"

#include "core/base/check.h"
#include "core/optimizers/optimizer_catalog.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace cannery::tests {

namespace {

constexpr const char* kScope = "toy";
constexpr const char* kPrefix = "training/SGD";

} // namespace

ServedModel::ServedModel(std::int64_t rows, std::int64_t cols, std::int64_t elements)
    : m_cols(cols), m_table(static_cast<std::size_t>(rows * cols)),
      m_dense(static_cast<std::size_t>(elements)), m_gradient(m_dense.size())
{
    m_lowered.graph.variables = {{.name = "table",
                                  .shape = Shape{{rows, cols}},
                                  .gradient = graph::GradientKind::Sparse,
                                  .scope = kScope},
                                 {.name = "dense", .shape = Shape{{elements}}, .scope = kScope}};
    spec::Optimizer sgd;
    sgd.mutable_sgd()->set_learning_rate(1);
    m_lowered.optimizers = {{.scope = kScope, .optimizer = sgd, .checkpointPrefix = kPrefix}};
    m_state = {{.name = "table", .bytes = std::as_writable_bytes(std::span(m_table))},
               {.name = "dense", .bytes = std::as_writable_bytes(std::span(m_dense))}};
    const auto optimizer = optimizers::makeOptimizer(sgd, 0);
    CANNERY_CHECK(optimizer.has_value());
    const auto scalars = std::as_const(**optimizer).scalars();
    for (const optimizers::Scalar& scalar : scalars) {
        m_scalars.push_back(scalar.value);
    }
    for (std::size_t i = 0; i < scalars.size(); ++i) {
        m_state.push_back({.name = fmt::format("{}/{}", kPrefix, scalars[i].name),
                           .bytes = std::as_writable_bytes(std::span(m_scalars).subspan(i, 1)),
                           .optimizerState = true});
    }
}

parameters::ParameterClient::Attachment ServedModel::attachment(const std::string& folder)
{
    return {.lowered = m_lowered, .state = m_state, .experiment = "toy: 1\n", .folder = folder};
}

std::span<const plan::ExchangedVariable> ServedModel::tableStep(std::vector<std::int32_t> rows,
                                                                float gradient)
{
    const std::int64_t count = std::ssize(m_table) / m_cols;
    m_sum = std::make_unique<plan::VariableGradient>(count, m_cols);
    layers::GradientSegment& segment =
        m_sum->addPart()->emplace_back(layers::GradientSegment{.rowCount = count, .sparse = true});
    segment.rows.cols = m_cols;
    segment.rows.rows = rows;
    segment.rows.values.assign(rows.size() * static_cast<std::size_t>(m_cols), gradient);
    m_step = {{.id = 0,
               .values = kernels::matrixView(std::span(m_table), count, m_cols),
               .gradient = m_sum.get(),
               .readsRows = true,
               .rows = std::move(rows)}};
    return m_step;
}

std::span<const plan::ExchangedVariable> ServedModel::denseStep(float gradient)
{
    const std::int64_t count = std::ssize(m_dense);
    std::ranges::fill(m_gradient, gradient);
    m_sum = std::make_unique<plan::VariableGradient>(1, count);
    m_sum->addPart()->push_back(
        {.rowCount = 1, .dense = kernels::matrixView(std::span(m_gradient), 1, count)});
    m_step = {{.id = 1,
               .values = kernels::matrixView(std::span(m_dense), 1, count),
               .gradient = m_sum.get()}};
    return m_step;
}

coordinator::MemberIdentity taskIdentity(int rank, std::uint64_t incarnation)
{
    return {.task = fmt::format("worker:{}", rank),
            .rank = rank,
            .incarnation = incarnation,
            .version = "1",
            .host = "h",
            .token = "secret"};
}

parameters::ParameterServer::Options serverOptions(int tasks)
{
    parameters::ParameterServer::Options options{
        .address = "localhost:2222", .port = 0, .token = "secret", .version = "1"};
    options.longestGoodbye = std::chrono::milliseconds(0);
    for (int rank = 0; rank < tasks; ++rank) {
        options.tasks.push_back(taskIdentity(rank).task);
    }
    return options;
}

parameters::ParameterClient::Options clientOptions(const std::string& server, int tasks, int rank,
                                                   std::uint64_t incarnation)
{
    parameters::ParameterClient::Options options{.servers = {server},
                                                 .tasks = tasks,
                                                 .identity = taskIdentity(rank, incarnation),
                                                 .onNote = [](const coordinator::Note&) {}};
    options.strategy.mutable_variable_partitioner()->set_max_partitions(1);
    options.strategy.mutable_variable_partitioner()->set_min_slice_size(1);
    return options;
}

RunningServer::RunningServer(parameters::ParameterServer::Options options)
{
    options.stop = &m_stop;
    auto server = parameters::ParameterServer::start(std::move(options));
    CANNERY_CHECK(server.has_value());
    m_server = *std::move(server);
    m_thread = std::jthread([this] { (void)m_server->run(); });
}

RunningServer::~RunningServer()
{
    m_stop = true;
    m_thread.join();
}

} // namespace cannery::tests
