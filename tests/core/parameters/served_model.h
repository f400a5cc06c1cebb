// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/parameters/parameter_client.h"
#include "core/parameters/parameter_server.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace cannery::tests {

/// What a task has of a model of two variables, "table" with rows that are looked up and "dense",
/// trained by plain SGD with a learning rate of 1. Zeros at first.
class ServedModel
{
public:
    ServedModel(std::int64_t rows, std::int64_t cols, std::int64_t elements);
    ServedModel(const ServedModel&) = delete;
    ServedModel& operator=(const ServedModel&) = delete;

    /// Valid as long as the model.
    parameters::ParameterClient::Attachment attachment(const std::string& folder = {});
    std::span<float> table() { return m_table; }
    std::span<float> dense() { return m_dense; }

    /// What a step exchanges that looks up these ascending rows, all with this gradient; or
    /// that uses all of "dense". Valid until the next call.
    std::span<const plan::ExchangedVariable> tableStep(std::vector<std::int32_t> rows,
                                                       float gradient);
    std::span<const plan::ExchangedVariable> denseStep(float gradient);

private:
    std::int64_t m_cols;
    graph::LoweredModel m_lowered;
    std::vector<float> m_table;
    std::vector<float> m_dense;
    std::vector<float> m_gradient; ///< of m_dense
    std::vector<float> m_scalars;  ///< of the optimizer
    std::vector<plan::StateTensor> m_state;
    std::unique_ptr<plan::VariableGradient> m_sum;
    std::vector<plan::ExchangedVariable> m_step;
};

/// The options of a parameter server on loopback for so many tasks of the job "secret".
parameters::ParameterServer::Options serverOptions(int tasks);
coordinator::MemberIdentity taskIdentity(int rank, std::uint64_t incarnation = 1);
parameters::ParameterClient::Options clientOptions(const std::string& server, int tasks, int rank,
                                                   std::uint64_t incarnation = 1);

/// A parameter server that runs on a thread until it is stopped.
class RunningServer
{
public:
    explicit RunningServer(parameters::ParameterServer::Options options);
    /// As on request: it saves what has changed.
    ~RunningServer();
    RunningServer(const RunningServer&) = delete;
    RunningServer& operator=(const RunningServer&) = delete;

    std::string address() const { return m_server->localAddress(); }

private:
    std::atomic<bool> m_stop = false;
    std::unique_ptr<parameters::ParameterServer> m_server;
    std::jthread m_thread;
};

} // namespace cannery::tests
