// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/training/supervisor.h"

#include "app/cannery/console/command.h"
#include "app/cannery/training/engine_announcer.h"
#include "core/base/error_json.h"
#include "core/base/line_reader.h"
#include "core/base/process.h"
#include "core/launch/announcement.h"
#include "core/launch/child_process.h"
#include "core/launch/signal_relay.h"
#include "core/launch/sleep_inhibitor.h"
#include "storage/runs/run_files.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>

namespace cannery::app {

namespace {

constexpr ErrorKind kEngineDied{
    "train.engine_died", "Signal {} ({}) ended the engine before its run began; try again, with "
                         "less data or more memory."};
constexpr int kNiceness = 10;

std::string causeOf(const ExitStatus& end)
{
    return end.exitedWith(ExitCode::DeviceLost)
               ? "The loss of its GPU"
               : fmt::format("Signal {} ({})", end.signal, strsignal(end.signal));
}

class Supervisor
{
public:
    Supervisor(Console& console, const SupervisorOptions& options, const StartTraining& start)
        : m_console(console), m_options(options), m_start(start), m_budget(options.restarts)
    {}

    ExitCode run()
    {
        // Every engine inherits it.
        if (m_options.isNice) {
            setpriority(PRIO_PROCESS, 0, kNiceness);
        }
        m_console.setMayDropLines();
        std::string note;
        while (true) {
            const tl::expected<ExitStatus, std::error_code> end = runEngine(note);
            if (m_isEngine) {
                return m_engineExit;
            }
            if (!end) {
                return reportFailure(m_console, launch::notStarted("cannery", end.error()));
            }
            if (!mayStartAgain(*end)) {
                reportIfNeverBegun(*end);
                return static_cast<ExitCode>(end->code);
            }
            note = fmt::format("{} ended the engine; it continues from the last checkpoint "
                               "(restart {} of at most {} per hour).",
                               causeOf(*end), m_budget.taken(), m_budget.perHour());
            if (m_options.pipe < 0) {
                m_console.diagnostic("warning: " + note);
            }
        }
    }

private:
    bool isInBackground() const { return m_options.pipe >= 0; }

    /// Starts the engine and waits for its end, which means nothing in the engine itself. An
    /// engine is a fork that goes on as this command: it starts at once, with the options that were
    /// read, and is the same program even if its file has been replaced.
    tl::expected<ExitStatus, std::error_code> runEngine(const std::string& note)
    {
        tl::expected<Pipe, std::error_code> pipe = openPipe();
        if (!pipe) {
            return tl::make_unexpected(pipe.error());
        }
        pid_t engine = -1;
        {
            // Until both processes know whom to pass it on to, no signal is delivered.
            const launch::SignalsHeld held;
            engine = fork();
            if (engine == 0) {
                launch::SignalRelay::forget();
            } else if (engine > 0) {
                m_relay.setTarget(engine);
                if (m_relay.received() != 0) {
                    kill(engine, m_relay.received()); // received before the engine existed
                }
            }
        }
        if (engine == 0) {
            pipe->reading.close();
            m_isEngine = true;
            m_engineExit = beEngine(pipe->writing.release(), note);
            return ExitStatus();
        }
        if (engine < 0) {
            return tl::make_unexpected(std::error_code(errno, std::generic_category()));
        }
        pipe->writing.close(); // or the lines would never end
        listen(pipe->reading.number());
        const ExitStatus end = Process(engine).wait();
        m_relay.setTarget(0);
        return end;
    }

    ExitCode beEngine(int pipe, const std::string& note)
    {
        if (!isInBackground()) {
            // Ctrl-C goes to the supervisor, which forwards it.
            setpgid(0, 0);
            return runTraining(m_console, m_options.report, wired(pipe, note));
        }
        close(m_options.pipe);
        m_console.setQuiet(true);
        EngineAnnouncer announcer(pipe);
        const launch::StopSignals signals;
        const Result<train::TrainReport> report = runControlled(
            m_console, announcer, {.folder = m_folder, .note = note}, signals, m_start);
        announcer.ended(report);
        return exitCodeOf(signals, report);
    }

    /// In the foreground: the supervisor still needs to know the run's folder.
    StartTraining wired(int pipe, const std::string& note) const
    {
        return [this, pipe, note](const TrainingWires& wires) {
            FolderReporter reporter(pipe);
            train::ObserverList observers;
            observers.add(reporter);
            observers.add(*wires.observer);
            TrainingWires more = wires;
            more.observer = &observers;
            more.folder = m_folder;
            more.note = note;
            return m_start(more);
        };
    }

    class FolderReporter final : public train::TrainingObserver
    {
    public:
        explicit FolderReporter(int pipe) : m_pipe(pipe) {}
        ~FolderReporter() override { close(m_pipe); }
        void opened(const std::string& modelDir) override
        {
            const std::string line = launch::announcementText({.opened = modelDir}) + "\n";
            (void)!write(m_pipe, line.data(), line.size());
        }

    private:
        int m_pipe;
    };

    /// Reads until the engine closes its announcements, at the latest when it ends.
    void listen(int pipe)
    {
        LineReader lines(pipe);
        while (const std::optional<std::string> line = lines.next()) {
            const launch::Announcement announcement = launch::parseAnnouncement(*line);
            if (!announcement.opened.empty()) {
                m_folder = announcement.opened;
            } else {
                passOnAnnouncement(*line);
                startInhibiting(announcement);
            }
        }
    }

    void startInhibiting(const launch::Announcement& announcement)
    {
        if (!announcement.run.empty() && !m_inhibitor) {
            m_inhibitor.emplace(announcement.run + " is being trained");
        }
    }

    /// Only the first announcement counts: the starting command prints it.
    void passOnAnnouncement(const std::string& line)
    {
        if (m_hasAnnounced || !isInBackground()) {
            return;
        }
        m_hasAnnounced = true;
        const std::string text = line + "\n";
        (void)!write(m_options.pipe, text.data(), text.size());
    }

    bool mayStartAgain(const ExitStatus& end)
    {
        // Somebody wanted it to end. An engine that has recorded why it failed would fail again.
        const bool wasAsked = end.signal == SIGTERM || end.signal == SIGINT ||
                              end.signal == SIGHUP || end.signal == SIGQUIT;
        const bool died = end.signal != 0 && !wasAsked && !storage::hasFailed(m_folder);
        if (m_relay.received() != 0 || !(died || end.exitedWith(ExitCode::DeviceLost))) {
            return false;
        }
        return m_budget.take(std::chrono::steady_clock::now());
    }

    void reportIfNeverBegun(const ExitStatus& end)
    {
        if (end.signal != 0) {
            passOnAnnouncement(errorJson(
                error(ErrorCode::Aborted, kEngineDied, end.signal, strsignal(end.signal))));
        }
    }

    Console& m_console;
    const SupervisorOptions& m_options;
    const StartTraining& m_start;
    RestartBudget m_budget;
    launch::SignalRelay m_relay;
    std::string m_folder; ///< of the run, once it is known
    bool m_hasAnnounced = false;
    bool m_isEngine = false;
    ExitCode m_engineExit = ExitCode::Done;
    std::optional<launch::SleepInhibitor> m_inhibitor;
};

} // namespace

bool RestartBudget::take(Time now)
{
    while (!m_times.empty() && now - m_times.front() > std::chrono::hours(1)) {
        m_times.pop_front();
    }
    if (static_cast<std::int64_t>(m_times.size()) >= m_perHour) {
        return false;
    }
    m_times.push_back(now);
    return true;
}

ExitCode superviseTraining(Console& console, const SupervisorOptions& options,
                           const StartTraining& start)
{
    return Supervisor(console, options, start).run();
}

} // namespace cannery::app
