// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/training/training_launch.h"

#include "app/cannery/console/command.h"
#include "app/cannery/training/supervisor.h"
#include "core/base/json_text.h"
#include "core/base/line_reader.h"
#include "core/launch/announcement.h"
#include "core/launch/background_process.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <csignal>
#include <cstdlib>

namespace cannery::app {

using Json = nlohmann::ordered_json;

namespace {

constexpr ErrorKind kNoSupervisor{
    "process.supervisor_died",
    "The training's supervisor process ended before the run began; try again, or "
    "train without --detach."};
constexpr ErrorKind kNegativeRestarts{"command.usage.negative_restarts",
                                      "--restarts must be at least 0, not {}."};

/// The key of the supervisor's first message, before any from the engine.
constexpr const char* kSupervisor = "supervisor";

Error errorFrom(const std::string& line)
{
    const Json json = Json::parse(line, nullptr, false)["error"];
    return Error{.code = ErrorCode::Unknown,
                 .id = json.value("id", ""),
                 .arguments = json.value("arguments", std::vector<std::string>()),
                 .sentence = json.value("sentence", ""),
                 .path = json.value("path", ""),
                 .notes = json.value("notes", std::vector<std::string>())};
}

/// Waits for the supervisor's announcement and prints it.
class BackgroundLaunch
{
public:
    explicit BackgroundLaunch(Console& console) : m_console(console) {}

    /// Empty if this way did not start a supervisor.
    std::optional<ExitCode> tryWay(launch::SessionKind kind)
    {
        const Result<Descriptor> pipe = launch::startBackgroundSelf(kind);
        if (!pipe) {
            return reportFailure(m_console, pipe.error());
        }
        return listen(pipe->number());
    }

private:
    std::optional<ExitCode> listen(int pipe)
    {
        const launch::StopSignals signals;
        LineReader lines(pipe);
        bool hasPassedOn = false;
        while (const std::optional<std::string> line = lines.next(true)) {
            if (signals.signal() != 0 && m_supervisor > 0 && !hasPassedOn) {
                hasPassedOn = true;
                kill(m_supervisor, SIGTERM);
            }
            const Json json = Json::parse(*line, nullptr, false);
            if (json.is_object() && json.contains(kSupervisor)) {
                m_supervisor = json[kSupervisor].get<pid_t>();
            } else if (json.is_object()) {
                return report(*line);
            }
        }
        if (m_supervisor == 0) {
            return std::nullopt;
        }
        return reportFailure(m_console, error(ErrorCode::Aborted, kNoSupervisor));
    }

    ExitCode report(const std::string& line) const
    {
        const launch::Announcement announcement = launch::parseAnnouncement(line);
        if (!announcement.error.empty()) {
            return reportFailure(m_console, errorFrom(line));
        }
        if (m_console.isJson()) {
            m_console.result(jsonText(Json{{"run", announcement.run},
                                           {"folder", announcement.folder},
                                           {"supervisor_pid", m_supervisor}}));
            return ExitCode::Done;
        }
        m_console.result(announcement.folder);
        m_console.note(fmt::format("{0} is being trained; 'cannery attach {1}' watches it, "
                                   "'cannery stop {1}' ends it",
                                   announcement.run, announcement.folder));
        return ExitCode::Done;
    }

    Console& m_console;
    pid_t m_supervisor = 0;
};

ExitCode launchInBackground(Console& console)
{
    BackgroundLaunch launch(console);
    for (const launch::SessionKind kind : launch::sessionKinds()) {
        if (const std::optional<ExitCode> code = launch.tryWay(kind)) {
            return *code;
        }
    }
    return reportFailure(console, error(ErrorCode::Aborted, kNoSupervisor));
}

/// False if nobody is listening: the starting command is trying another way, or is gone.
bool introduceSupervisor()
{
    const std::string hello = fmt::format("{{\"{}\":{}}}\n", kSupervisor, getpid());
    return write(launch::backgroundPipe(), hello.data(), hello.size()) ==
           static_cast<ssize_t>(hello.size());
}

} // namespace

void TrainingLaunchOptions::declare(OptionSet& options)
{
    options.flag(
        "--detach", detach,
        "train in the background and return when the run has begun; it continues when this "
        "terminal or the window closes");
    options.option("--restarts", "N", restarts,
                   "restart a killed engine from its last checkpoint, at most N "
                   "times per hour");
    options.flag("--nice", isNice, "train at low CPU priority");
}

std::optional<ExitCode> goIntoBackground(Console& console)
{
    if (!launch::isInBackground()) {
        return launchInBackground(console);
    }
    return introduceSupervisor() ? std::nullopt : std::optional(ExitCode::Failed);
}

ExitCode launchTraining(Console& console, const TrainingLaunchOptions& launch,
                        const TrainingReportOptions& report, const StartTraining& start)
{
    if (launch.restarts.value_or(0) < 0) {
        return reportFailure(
            console, error(ErrorCode::InvalidArgument, kNegativeRestarts, *launch.restarts));
    }
    if (launch.detach) {
        console.setQuiet(report.quiet);
        if (const std::optional<ExitCode> code = goIntoBackground(console)) {
            return *code;
        }
    }
    if (!launch.detach && !launch.restarts && !launch.isNice) {
        return runTraining(console, report, start);
    }
    const SupervisorOptions supervisor{.restarts = launch.restarts.value_or(0),
                                       .isNice = launch.isNice,
                                       .pipe = launch.detach ? launch::backgroundPipe() : -1,
                                       .report = report};
    return superviseTraining(console, supervisor, start);
}

} // namespace cannery::app
