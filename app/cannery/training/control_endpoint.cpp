// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/training/control_endpoint.h"

#include "core/base/clock.h"
#include "core/train/preparation/process_memory.h"

#include <unistd.h>

#include <filesystem>

namespace cannery::app {

namespace {

constexpr double kMemorySeconds = 1;

control::LogLine::Level levelOf(train::LogLevel level)
{
    switch (level) {
    case train::LogLevel::Info:
        return control::LogLine::Level::Info;
    case train::LogLevel::Warning:
        return control::LogLine::Level::Warning;
    case train::LogLevel::Error:
        return control::LogLine::Level::Error;
    }
    return control::LogLine::Level::Info;
}

std::string absolutePath(const std::string& path)
{
    std::error_code failure;
    return std::filesystem::absolute(path, failure).lexically_normal().string();
}

} // namespace

ControlEndpoint::ControlEndpoint(Console& console, train::TrainingControl& control)
    : m_console(&console), m_control(&control)
{}

ControlEndpoint::~ControlEndpoint()
{
    sayWhyClosed();
}

void ControlEndpoint::opened(const std::string& modelDir)
{
    m_status.runFolder = absolutePath(modelDir);
    m_status.state = std::string(storage::name(storage::RunState::Preparing));
    m_status.processId = getpid();
    m_status.device = "CPU";
    m_status.startedAt = systemClock().wallTime();
    control::ControlledEngine& engine = *this;
    m_server = std::make_unique<control::ControlServer>(
        control::ControlServer::Options{.runFolder = modelDir}, engine);
    publishStatus();
}

void ControlEndpoint::dataLoaded(const train::DataSummary& data)
{
    m_status.threads = data.threads;
    m_status.device = data.device;
    publishStatus();
}

void ControlEndpoint::stateChanged(storage::RunState state, const std::string& reason)
{
    m_status.state = std::string(storage::name(state));
    m_stateReason = reason;
    if (state != storage::RunState::Running) {
        m_status.stepsPerSecond = 0;
        m_status.rowsPerSecond = 0;
        m_status.secondsLeft.reset();
    }
    publishStatus();
}

void ControlEndpoint::started(std::int64_t globalStep, std::optional<std::int64_t> maxSteps)
{
    m_status.globalStep = globalStep;
    m_status.maxSteps = maxSteps;
    publishStatus();
}

void ControlEndpoint::stepDone(std::int64_t globalStep, double loss)
{
    m_status.globalStep = globalStep;
    m_status.loss = loss;
}

void ControlEndpoint::progressed(const train::Progress& progress)
{
    m_status.globalStep = progress.globalStep;
    m_status.maxSteps = progress.maxSteps;
    m_status.loss = progress.loss;
    m_status.stepsPerSecond = progress.stepsPerSecond;
    m_status.rowsPerSecond = progress.rowsPerSecond;
    m_status.epochs = progress.epochs;
    m_status.secondsLeft = progress.secondsLeft;
    m_status.inputWait = progress.inputWait;
    m_status.deviceBusy = progress.deviceBusy;
    if (progress.device) {
        m_status.deviceMemoryBytes = progress.device->usedBytes;
        m_status.deviceMemoryTotal = progress.device->memoryBytes;
        m_status.deviceLoad = progress.device->busy;
    }
    publishStatus();
    sayWhyClosed();
}

void ControlEndpoint::workersSeen(const std::vector<train::WorkerStatus>& workers)
{
    m_status.workers.clear();
    for (const train::WorkerStatus& worker : workers) {
        m_status.workers.push_back({.task = worker.task,
                                    .state = worker.state,
                                    .step = worker.globalStep,
                                    .stepSeconds = worker.stepSeconds,
                                    .waitSeconds = worker.waitSeconds,
                                    .networkSeconds = worker.networkSeconds,
                                    .restarts = worker.restarts});
    }
    publishStatus();
}

void ControlEndpoint::checkpointsChanged(const std::vector<storage::RunCheckpoint>&)
{
    publish(control::StoreChanged{});
}

void ControlEndpoint::evaluated(const train::EvaluationResult&)
{
    publish(control::StoreChanged{});
}

void ControlEndpoint::exported(const train::ExportResult&)
{
    publish(control::StoreChanged{});
}

void ControlEndpoint::fileGrew(const std::string& path, std::uint64_t bytes)
{
    publish(control::FileGrew{.path = absolutePath(path), .bytes = bytes});
}

void ControlEndpoint::activityChanged(std::string_view activity)
{
    m_activity = activity;
    if (!activity.empty()) {
        publishStatus(); // the end is reported with the next progress
    }
}

void ControlEndpoint::logged(train::LogLevel level, std::string_view sentence)
{
    noted(level, {}, sentence);
}

void ControlEndpoint::noted(train::LogLevel level, std::string_view id, std::string_view sentence)
{
    publish(control::LogLine{.time = systemClock().wallTime(),
                             .level = levelOf(level),
                             .id = std::string(id),
                             .sentence = std::string(sentence)});
}

void ControlEndpoint::publish(const control::EngineEvent& event)
{
    if (m_server) {
        m_server->publish(event);
    }
}

void ControlEndpoint::publishStatus()
{
    const double now = systemClock().steadyTime();
    if (m_status.memoryBytes == 0 || now > m_memoryReadAt + kMemorySeconds) {
        m_status.memoryBytes = train::residentBytes();
        m_memoryReadAt = now;
    }
    m_status.reason = m_activity.empty() ? m_stateReason : m_activity + ".";
    publish(m_status);
}

void ControlEndpoint::sayWhyClosed()
{
    if (m_hasSaidWhyClosed || !m_server) {
        return;
    }
    if (const std::optional<Error> failure = m_server->failure()) {
        m_hasSaidWhyClosed = true;
        m_console->clearProgress();
        m_console->diagnostic("warning: " + failure->message());
    }
}

} // namespace cannery::app
