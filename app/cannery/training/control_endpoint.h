// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console/console.h"
#include "core/control/control_server.h"
#include "core/train/loop/training_control.h"
#include "core/train/loop/training_observer.h"

#include <memory>
#include <string>

namespace cannery::app {

/// The control socket of a training: opened when the run's folder is known. Reports to watchers
/// what the training reports to its observers, and passes their requests on. A socket that
/// cannot be created is one line on stderr. Called on the training thread; outlives the training.
class ControlEndpoint final : public train::TrainingObserver, private control::ControlledEngine
{
public:
    ControlEndpoint(Console& console, train::TrainingControl& control);
    ~ControlEndpoint() override;

    void opened(const std::string& modelDir) override;
    void dataLoaded(const train::DataSummary& data) override;
    void stateChanged(storage::RunState state, const std::string& reason) override;
    void started(std::int64_t globalStep, std::optional<std::int64_t> maxSteps) override;
    void stepDone(std::int64_t globalStep, double loss) override;
    void progressed(const train::Progress& progress) override;
    void workersSeen(const std::vector<reports::TaskStatus>& workers) override;
    void checkpointsChanged(const std::vector<storage::RunCheckpoint>& checkpoints) override;
    void evaluated(const train::EvaluationResult& result) override;
    void exported(const train::ExportResult& result) override;
    void fileGrew(const std::string& path, std::uint64_t bytes) override;
    void activityChanged(std::string_view activity) override;
    void logged(train::LogLevel level, std::string_view sentence) override;
    void noted(train::LogLevel level, std::string_view id, std::string_view sentence) override;

private:
    void pause() override { m_control->pause(); }
    void resume() override { m_control->resume(); }
    void stopAndKeep() override { m_control->stopAndKeep(); }
    void stopWithoutSaving() override { m_control->stopWithoutSaving(); }
    void checkpointNow() override { m_control->checkpointNow(); }

    void publish(const control::EngineEvent& event);
    void publishStatus();
    void setMaxSteps(std::optional<std::int64_t> maxSteps);
    void reportWhyClosed();

    Console* m_console;
    train::TrainingControl* m_control;
    reports::EngineStatus m_status;
    std::string m_stateReason;
    std::string m_activity;
    double m_memoryReadAt = 0;
    bool m_hasReportedWhyClosed = false;
    std::unique_ptr<control::ControlServer> m_server; ///< last: it uses the others
};

} // namespace cannery::app
