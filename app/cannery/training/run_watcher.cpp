// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/training/run_watcher.h"

#include "app/cannery/console/command.h"
#include "app/cannery/reports/progress_printer.h"
#include "core/control/control_client.h"
#include "core/launch/stop_signals.h"
#include "core/reports/given.h"
#include "core/reports/report_json.h"
#include "storage/io/files.h"
#include "storage/runs/run_files.h"

#include <fmt/core.h>

#include <chrono>
#include <optional>
#include <thread>

namespace cannery::app {

namespace {

constexpr std::chrono::milliseconds kLook(100);
/// How long a supervisor may take to restart an engine.
constexpr std::chrono::seconds kPatience(5);

class RunWatcher
{
public:
    RunWatcher(Console& console, const std::string& folder)
        : m_console(console), m_files(folder), m_printer(console), m_run(nameOf(folder))
    {}

    ExitCode run()
    {
        if (const auto evaluations = m_files.readEvaluations()) {
            m_evaluations = evaluations->size(); // earlier ones are not printed
        }
        Result<void> watched = watch();
        // Only a lost connection is tried again: the socket of an engine that a supervisor restarts
        // is a new one.
        while (!watched && watched.error().id == "control.lost" && waitForAnother()) {
            watched = watch();
        }
        m_console.clearProgress();
        if (m_signals.signal() != 0) {
            // Ctrl+C ends the watching; the engine does not belong to this process.
            m_console.diagnostic(fmt::format("{} continues in the background", m_run));
            return ExitCode::Done;
        }
        return watched || endedMeanwhile() ? reportEnd()
                                           : reportFailure(m_console, watched.error());
    }

private:
    static std::string nameOf(const std::string& folder)
    {
        std::error_code failure;
        return storage::baseName(std::filesystem::canonical(folder, failure).string());
    }

    Result<void> watch()
    {
        CANNERY_TRY_ASSIGN(control::ControlClient client,
                           control::ControlClient::connect(m_files.folder()));
        // Not possible in a signal handler, but here.
        const std::jthread canceller([&](const std::stop_token& isOver) {
            while (!isOver.stop_requested() && m_signals.signal() == 0) {
                std::this_thread::sleep_for(kLook);
            }
            if (m_signals.signal() != 0) {
                client.cancelWatch();
            }
        });
        return client.watch([this](const control::EngineEvent& event) { hear(event); });
    }

    bool waitForAnother() const
    {
        const auto end = std::chrono::steady_clock::now() + kPatience;
        while (std::chrono::steady_clock::now() < end && m_signals.signal() == 0 &&
               !endedMeanwhile()) {
            if (control::ControlClient::connect(m_files.folder())) {
                return true;
            }
            std::this_thread::sleep_for(kLook);
        }
        return false;
    }

    /// An engine that ends may close the connection before its last words arrive.
    bool endedMeanwhile() const
    {
        const Result<storage::RunStatus> status = m_files.readStatus();
        return m_hasReport && status &&
               (status->state == storage::RunState::Finished ||
                status->state == storage::RunState::Stopped ||
                status->state == storage::RunState::Failed);
    }

    void hear(const control::EngineEvent& event)
    {
        m_hasReport = true;
        if (const auto* status = std::get_if<reports::EngineStatus>(&event)) {
            takeStatus(*status);
        } else if (const auto* line = std::get_if<reports::LogLine>(&event)) {
            takeLine(*line);
        } else if (std::holds_alternative<control::StoreChanged>(event) && !m_console.isJson()) {
            printNewEvaluations();
        }
    }

    void takeStatus(const reports::EngineStatus& status)
    {
        if (m_console.isJson()) {
            reports::AttachLine line;
            line.set_event("status");
            *line.mutable_status() = status;
            print(line);
            return;
        }
        if (status.state() != m_state) {
            m_state = status.state();
            m_console.clearProgress();
            m_console.note(fmt::format("{}: {}{}{}", m_run, status.state(),
                                       status.reason().empty() ? "" : ", ", status.reason()));
        }
        m_printer.progressed(
            {.globalStep = status.global_step(),
             .maxSteps = reports::given(status.has_max_steps(), status.max_steps()),
             .loss = status.loss(),
             .stepsPerSecond = status.steps_per_second(),
             .rowsPerSecond = status.rows_per_second(),
             .secondsLeft = reports::given(status.has_seconds_left(), status.seconds_left())});
    }

    void takeLine(const reports::LogLine& line)
    {
        if (m_console.isJson()) {
            reports::AttachLine printed;
            printed.set_event("log");
            *printed.mutable_log() = line;
            print(printed);
        } else if (line.level() != reports::LogLine::INFO) {
            m_printer.logged(train::LogLevel::Warning, line.sentence());
        }
    }

    void print(const reports::AttachLine& line) const
    {
        m_console.result(reports::reportJson(line));
        m_console.flush();
    }

    void printNewEvaluations()
    {
        const auto evaluations = m_files.readEvaluations();
        for (; evaluations && m_evaluations < evaluations->size(); ++m_evaluations) {
            const storage::RunEvaluation& evaluation = (*evaluations)[m_evaluations];
            train::EvaluationResult result{.name = evaluation.name,
                                           .globalStep = evaluation.globalStep};
            for (const storage::MetricValue& metric : evaluation.metrics) {
                result.metrics.push_back({metric.name, metric.value});
            }
            m_printer.evaluated(result);
        }
    }

    ExitCode reportEnd() const
    {
        const Result<storage::RunStatus> status = m_files.readStatus();
        if (!status) {
            return reportFailure(m_console, status.error());
        }
        if (!m_console.isJson()) {
            m_console.note(fmt::format("{}: {}, step {}{}{}", m_run, storage::name(status->state),
                                       status->globalStep, status->reason.empty() ? "" : ". ",
                                       status->reason));
        }
        const bool isWell = status->state == storage::RunState::Finished ||
                            status->state == storage::RunState::Stopped;
        return isWell ? ExitCode::Done : ExitCode::Failed;
    }

    Console& m_console;
    storage::RunFiles m_files;
    ProgressPrinter m_printer;
    launch::StopSignals m_signals;
    std::string m_run;
    std::string m_state;
    bool m_hasReport = false;      ///< anything from an engine
    std::size_t m_evaluations = 0; ///< printed already, or old
};

} // namespace

ExitCode watchRun(Console& console, const std::string& folder)
{
    return RunWatcher(console, folder).run();
}

} // namespace cannery::app
