// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "core/control/control_server.h"
#include "storage/runs/run_files.h"
#include "storage/runs/run_lock.h"
#include "storage/runs/run_store.h"
#include "storage/tf/events/event_writer.h"

#include <QFile>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace cannery::tests {

/// A run as the window sees it, without a model: holds the run's folder, opens the engine's socket,
/// and appends events, log lines and evaluations as fast as they are read. Every hundred steps
/// write a summary of a dozen tags and two lines, not thinned out.
class SyntheticRun
{
public:
    SyntheticRun(const std::string& project, const std::string& name, std::int64_t maxSteps);
    ~SyntheticRun();

    /// Trains this many more steps on a thread of its own.
    void begin(std::int64_t steps);
    bool isAtRest() const { return m_isAtRest; }
    std::int64_t step() const { return m_step; }
    /// The total size of the event files.
    std::uint64_t eventBytes() const { return m_eventBytes; }
    /// From now on it is the chief of a cluster with these tasks.
    void setWorkers(std::vector<reports::TaskStatus> workers);
    /// Sends a note from the engine at once.
    void say(reports::LogLine::Level level, const std::string& id, const std::string& sentence);

private:
    class Deaf : public control::ControlledEngine
    {
    public:
        void pause() override {}
        void resume() override {}
        void stopAndKeep() override {}
        void stopWithoutSaving() override {}
        void checkpointNow() override {}
    };

    void train(std::int64_t steps, const std::stop_token& stop);
    void summarise();
    void evaluate();
    void writeLine(const std::string& id, const std::string& sentence,
                   reports::LogLine::Level level = reports::LogLine::INFO);
    void publishStatus();
    storage::RunStatus status() const;

    std::string m_name;
    storage::RunStore m_store;
    std::string m_folder;
    std::optional<storage::RunLock> m_lock;
    storage::EventWriter m_train;
    storage::EventWriter m_eval;
    QFile m_log;
    Deaf m_engine;
    std::unique_ptr<control::ControlServer> m_server;
    std::int64_t m_maxSteps;
    std::atomic<std::int64_t> m_step = 0;
    std::atomic<std::uint64_t> m_eventBytes = 0;
    std::atomic<bool> m_isAtRest = true;
    double m_begun;
    std::vector<storage::RunCheckpoint> m_checkpoints;
    std::vector<reports::TaskStatus> m_workers;
    std::jthread m_thread;
};

} // namespace cannery::tests
