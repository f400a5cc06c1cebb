// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/training/control_endpoint.h"

#include "core/base/clock.h"
#include "core/train/preparation/process_memory.h"

#include <unistd.h>

#include <filesystem>

namespace cannery::app {

namespace {

constexpr double kMemorySeconds = 1;

reports::LogLine::Level levelOf(train::LogLevel level)
{
    switch (level) {
    case train::LogLevel::Info:
        return reports::LogLine::INFO;
    case train::LogLevel::Warning:
        return reports::LogLine::WARNING;
    case train::LogLevel::Error:
        return reports::LogLine::ERROR;
    }
    return reports::LogLine::INFO;
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
    // Also for a training that ends before its next progress.
    reportWhyClosed();
}

void ControlEndpoint::opened(const std::string& modelDir)
{
    // Absolute, because a watcher has another working directory.
    m_status.set_run_folder(absolutePath(modelDir));
    m_status.set_state(std::string(storage::name(storage::RunState::Preparing)));
    m_status.set_process_id(getpid());
    m_status.set_device("CPU");
    m_status.set_started_at(systemClock().wallTime());
    control::ControlledEngine& engine = *this;
    m_server = std::make_unique<control::ControlServer>(
        control::ControlServer::Options{.runFolder = modelDir}, engine);
    publishStatus();
}

void ControlEndpoint::dataLoaded(const train::DataSummary& data)
{
    m_status.set_threads(data.threads);
    m_status.set_device(data.device);
    publishStatus();
}

void ControlEndpoint::stateChanged(storage::RunState state, const std::string& reason)
{
    m_status.set_state(std::string(storage::name(state)));
    m_stateReason = reason;
    // A speed and a time left are of the training that runs; what was last known would mislead
    // while it is saved, paused or evaluated.
    if (state != storage::RunState::Running) {
        m_status.set_steps_per_second(0);
        m_status.set_rows_per_second(0);
        m_status.clear_seconds_left();
    }
    publishStatus();
}

void ControlEndpoint::started(std::int64_t globalStep, std::optional<std::int64_t> maxSteps)
{
    m_status.set_global_step(globalStep);
    setMaxSteps(maxSteps);
    publishStatus();
}

void ControlEndpoint::stepDone(std::int64_t globalStep, double loss)
{
    // Not published: steps may take microseconds, and progressed() follows at a rate fit to be
    // read.
    m_status.set_global_step(globalStep);
    m_status.set_loss(loss);
}

void ControlEndpoint::progressed(const train::Progress& progress)
{
    m_status.set_global_step(progress.globalStep);
    setMaxSteps(progress.maxSteps);
    m_status.set_loss(progress.loss);
    m_status.set_steps_per_second(progress.stepsPerSecond);
    m_status.set_rows_per_second(progress.rowsPerSecond);
    m_status.set_epochs(progress.epochs);
    m_status.clear_seconds_left();
    if (progress.secondsLeft) {
        m_status.set_seconds_left(*progress.secondsLeft);
    }
    m_status.set_input_wait(progress.inputWait);
    m_status.set_device_busy(progress.deviceBusy);
    if (progress.device) {
        m_status.set_device_memory_bytes(progress.device->usedBytes);
        m_status.set_device_memory_total(progress.device->memoryBytes);
        m_status.clear_device_load();
        if (progress.device->busy) {
            m_status.set_device_load(*progress.device->busy);
        }
    }
    publishStatus();
    reportWhyClosed();
}

void ControlEndpoint::workersSeen(const std::vector<reports::TaskStatus>& workers)
{
    m_status.mutable_workers()->Assign(workers.begin(), workers.end());
    publishStatus();
}

void ControlEndpoint::checkpointsChanged(const std::vector<storage::RunCheckpoint>&)
{
    // Only that something has changed: watchers read the run's store, which holds the details.
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
    reports::LogLine line;
    line.set_time(systemClock().wallTime());
    line.set_level(levelOf(level));
    line.set_id(std::string(id));
    line.set_sentence(std::string(sentence));
    publish(line);
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
    // At most once a second: reading it opens a file of /proc.
    if (m_status.memory_bytes() == 0 || now > m_memoryReadAt + kMemorySeconds) {
        m_status.set_memory_bytes(train::residentBytes());
        m_memoryReadAt = now;
    }
    // What the engine is doing at the moment hides why it came into its state.
    m_status.set_reason(m_activity.empty() ? m_stateReason : m_activity + ".");
    publish(m_status);
}

void ControlEndpoint::setMaxSteps(std::optional<std::int64_t> maxSteps)
{
    m_status.clear_max_steps();
    if (maxSteps) {
        m_status.set_max_steps(*maxSteps);
    }
}

void ControlEndpoint::reportWhyClosed()
{
    if (m_hasReportedWhyClosed || !m_server) {
        return;
    }
    if (const std::optional<Error> failure = m_server->failure()) {
        m_hasReportedWhyClosed = true;
        m_console->clearProgress();
        m_console->diagnostic("warning: " + failure->message());
    }
}

} // namespace cannery::app
