// SPDX-License-Identifier: Apache-2.0
#include "core/launch/cluster_supervisor.h"

#include "core/base/error_json.h"
#include "core/launch/stop_signals.h"
#include "core/launch/task_output.h"
#include "storage/runs/run_files.h"

#include <fmt/core.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <optional>
#include <set>

namespace cannery::launch {

namespace {

using Clock = std::chrono::steady_clock;

constexpr ErrorKind kTaskFailed{
    "launch.task_failed",
    "The task {} {}; the cluster was stopped. The output of the task is in {}."};
constexpr ErrorKind kTooManyRestarts{
    "launch.too_many_restarts",
    "The task {} {}, and tasks were started again {} times already, as often as --max-restarts "
    "allows; the cluster was stopped. The output of the task is in {}."};

constexpr int kLookMilliseconds = 50;
constexpr int kNotFoundCode = 127; // as shells say it
constexpr int kFirstSignalCode = 128;
constexpr std::size_t kShownLines = 10;
constexpr std::chrono::milliseconds kLongestPause{30'000};
/// Within this time after a loss, those end whose GPUs trained with that of the lost task.
constexpr std::chrono::seconds kOneLoss{60};

/// A task and its process, if it has one now.
struct Member
{
    TaskProgram program;
    bool isEvaluator = false;
    std::optional<Process> process;
    std::optional<Clock::time_point> startAt; ///< it waits for its next process
    int restarts = 0;
    std::optional<ExitStatus> end; ///< for good

    bool isOver() const { return end.has_value(); }
    /// The chief and the workers do.
    bool trains() const
    {
        return program.name.starts_with("chief") || program.name.starts_with("worker");
    }
};

struct Failure
{
    const Member* member = nullptr;
    bool isOneTooMany = false;
};

class ClusterSupervisor
{
public:
    ClusterSupervisor(LaunchOutput& output, const ClusterSupervision& supervision,
                      std::unique_ptr<storage::WritableFile> log)
        : m_show(output), m_supervision(supervision), m_output(output, std::move(log))
    {
        for (const TaskProgram& program : supervision.tasks) {
            m_members.push_back({.program = program,
                                 .isEvaluator = program.name.starts_with("evaluator"),
                                 .startAt = Clock::now()});
        }
    }

    ClusterEnd run()
    {
        while (!std::all_of(m_members.begin(), m_members.end(), std::mem_fn(&Member::isOver))) {
            passOnSignal();
            for (Member& member : m_members) {
                if (const Result<void> started = startIfDue(member); !started) {
                    return {.code = reportFailure(m_show, started.error())};
                }
            }
            m_output.setNote(workerNote());
            waitAndRead();
            if (m_supervision.watcher != nullptr) {
                m_supervision.watcher->look();
            }
            for (Member& member : m_members) {
                lookAfter(member);
            }
            obeyDeadlines();
        }
        if (isShrinking()) {
            const Member& lost = *m_failure->member;
            return {.code = static_cast<ExitCode>(chief().end->code),
                    .lost = fmt::format("{} {}", lost.program.name, lost.end->text())};
        }
        return {.code = report()};
    }

private:
    enum class Phase
    {
        Running,
        Succeeded, ///< the chief has done its work
        Failed,
        Stopping, ///< a signal asked for it
    };

    /// "3 of 4 workers", counted with the chief; nothing if it is alone.
    std::string workerNote() const
    {
        std::ptrdiff_t all = 0;
        std::ptrdiff_t running = 0;
        for (const Member& member : m_members) {
            all += member.trains() ? 1 : 0;
            running += member.trains() && member.process ? 1 : 0;
        }
        if (all < 2) {
            return {};
        }
        return running == all ? fmt::format("{} workers", all)
                              : fmt::format("{} of {} workers", running, all);
    }

    /// A task cannot be kept alive, nothing else is wrong, and nobody asked for the end.
    bool isShrinking()
    {
        const bool isShort = m_supervision.canShrink && m_failure && m_failure->isOneTooMany &&
                             m_failure->member->trains();
        return isShort && m_passedOn == 0 && chief().end->code >= kFirstSignalCode;
    }

    Member& chief() { return m_members.front(); }

    Result<void> startIfDue(Member& member)
    {
        if (!member.startAt || Clock::now() < *member.startAt) {
            return {};
        }
        if (&member == &chief()) {
            m_output.began();
        }
        member.startAt.reset();
        Result<Process> process = startTask(member.program);
        if (process) {
            member.process = std::move(*process);
        } else if (process.error().code == ErrorCode::Internal) {
            warn(process.error().sentence);
            hasEnded(member, {.code = kNotFoundCode});
        } else {
            return tl::make_unexpected(process.error());
        }
        return {};
    }

    /// Waits a moment, or until there is output of the chief or a signal.
    void waitAndRead()
    {
        const std::optional<Process>& shown = chief().process;
        std::array<pollfd, 2> streams{};
        streams[0] = {.fd = shown && !m_isOutputClosed ? shown->output() : -1,
                      .events = POLLIN,
                      .revents = 0};
        streams[1] = {.fd = shown && !m_isDiagnosticsClosed ? shown->diagnostics() : -1,
                      .events = POLLIN,
                      .revents = 0};
        poll(streams.data(), streams.size(), kLookMilliseconds);
        if (shown) {
            readOutput(*shown);
        }
    }

    void readOutput(const Process& shown)
    {
        m_isDiagnosticsClosed = !readAll(
            shown.diagnostics(), [&](std::string_view bytes) { m_output.takeDiagnostics(bytes); });
        m_isOutputClosed =
            !readAll(shown.output(), [&](std::string_view bytes) { m_output.takeResult(bytes); });
    }

    /// All that is there; false at the end of the stream.
    static bool readAll(int descriptor, const std::function<void(std::string_view)>& take)
    {
        ReadResult result = ReadResult::Bytes;
        while (result == ReadResult::Bytes) {
            result = readSome(descriptor, std::chrono::milliseconds(0), take);
        }
        return result != ReadResult::End;
    }

    void lookAfter(Member& member)
    {
        const std::optional<ExitStatus> end = member.process ? member.process->end() : std::nullopt;
        if (!end) {
            return;
        }
        if (&member == &chief()) {
            readOutput(*member.process);
        }
        member.process.reset();
        hasEnded(member, *end);
    }

    void hasEnded(Member& member, const ExitStatus& end)
    {
        if (&member == &chief()) {
            m_output.ended();
        }
        if (end.code == 0 || !isWanted(member)) {
            finish(member, end);
            return;
        }
        if (!isWorthARestart(member, end)) {
            finish(member, end);
            failBecauseOf({.member = &member});
            return;
        }
        const bool isCounted = counts(member, end);
        if (isCounted && m_restarts == m_supervision.maxRestarts) {
            finish(member, end);
            failBecauseOf({.member = &member, .isOneTooMany = true});
        } else {
            startAgain(member, end, isCounted);
        }
    }

    /// Whether the cluster still needs its work.
    bool isWanted(const Member& member) const
    {
        return m_phase == Phase::Running || (m_phase == Phase::Succeeded && member.isEvaluator);
    }

    bool isWorthARestart(const Member& member, const ExitStatus& end)
    {
        return end.code >= kFirstSignalCode &&
               (hasLostItsGpu(end) ||
                !(&member == &chief() && storage::hasFailed(m_supervision.folder)));
    }

    static bool wasStoppedBySignal(const ExitStatus& end)
    {
        return end.code == static_cast<int>(ExitCode::Terminated);
    }

    static bool hasLostItsGpu(const ExitStatus& end)
    {
        return end.code == static_cast<int>(ExitCode::DeviceLost);
    }

    /// Who was asked to end has not failed; nor have the workers of a chief that was. With one GPU
    /// of a group all of them are lost: that counts once, whichever of the tasks ends first, and
    /// not at all if that was asked to end.
    bool counts(const Member& member, const ExitStatus& end)
    {
        const Clock::time_point now = Clock::now();
        const bool isRecent =
            m_loss && now - m_loss->at < kOneLoss && !m_loss->ended.contains(&member);
        const bool isSame = isRecent && (hasLostItsGpu(end) || !m_loss->hasCause);
        if (!isSame) {
            m_loss = Loss{.at = now, .hasCause = false, .ended = {}};
        } else if (wasStoppedBySignal(end)) {
            --m_restarts;
        }
        m_loss->hasCause = m_loss->hasCause || !hasLostItsGpu(end);
        m_loss->ended.insert(&member);
        return !isSame && !wasStoppedBySignal(end);
    }

    void startAgain(Member& member, const ExitStatus& end, bool isCounted)
    {
        if (isCounted) {
            ++m_restarts;
            warn(fmt::format("{} {}; starting it again ({} of {}).", member.program.name,
                             end.text(), m_restarts, m_supervision.maxRestarts));
        } else {
            warn(fmt::format("{} {}; starting it again.", member.program.name,
                             wasStoppedBySignal(end) ? "was asked to end" : end.text()));
        }
        const auto pause = m_supervision.firstPause * (1LL << std::min(member.restarts, 16));
        member.restarts += isCounted || hasLostItsGpu(end) ? 1 : 0;
        member.startAt = Clock::now() + std::min<std::chrono::milliseconds>(pause, kLongestPause);
        if (&member == &chief()) {
            callBackWorkers();
        }
    }

    /// A chief that was lost at its very end may need those that have ended already.
    void callBackWorkers()
    {
        for (Member& member : m_members) {
            if (member.isOver() && !member.isEvaluator) {
                member.end.reset();
                member.startAt = chief().startAt;
            }
        }
    }

    void finish(Member& member, const ExitStatus& end)
    {
        member.end = end;
        if (m_phase == Phase::Failed && isMoreSpecific(member)) {
            m_failure = Failure{.member = &member};
        }
        if (&member != &chief()) {
            return;
        }
        if (m_phase == Phase::Running && end.code == 0) {
            m_phase = Phase::Succeeded;
            m_terminateAt = Clock::now() + m_supervision.patience;
        } else if (m_phase == Phase::Stopping) {
            m_killAt = Clock::now() + m_supervision.grace;
        }
    }

    /// Than the first failure. The chief has already shown its own.
    bool isMoreSpecific(const Member& member)
    {
        const int code = member.end->code;
        const int first = m_failure->member->end->code;
        return code != 0 && code < kFirstSignalCode &&
               (first == 1 || (first == code && &member == &chief()));
    }

    void failBecauseOf(const Failure& failure)
    {
        m_failure = failure;
        m_phase = Phase::Failed;
        m_terminateAt.reset();
        m_killAt = Clock::now() + m_supervision.grace;
        signalAll(SIGTERM);
    }

    void passOnSignal()
    {
        if (m_signals.signal() == 0 || m_passedOn != 0) {
            return;
        }
        m_passedOn = m_signals.signal();
        if (m_phase != Phase::Failed) {
            m_killAt =
                chief().isOver() ? std::optional(Clock::now() + m_supervision.grace) : std::nullopt;
            m_terminateAt.reset();
            m_phase = Phase::Stopping;
        }
        signalAll(m_passedOn);
    }

    /// A task that waits for its next process has ended with this.
    void signalAll(int signal)
    {
        for (Member& member : m_members) {
            if (member.process) {
                member.process->signal(signal);
            } else if (member.startAt) {
                member.startAt.reset();
                finish(member, {.code = kFirstSignalCode + signal, .signal = signal});
            }
        }
    }

    void obeyDeadlines()
    {
        if (m_terminateAt && Clock::now() >= *m_terminateAt) {
            m_terminateAt.reset();
            m_killAt = Clock::now() + m_supervision.grace;
            signalLateOnes(SIGTERM);
        }
        if (m_killAt && Clock::now() >= *m_killAt) {
            m_killAt.reset();
            signalLateOnes(SIGKILL);
        }
    }

    void signalLateOnes(int signal)
    {
        for (const Member& member : m_members) {
            const bool hasTime = m_phase == Phase::Succeeded && member.isEvaluator;
            if (member.process && !hasTime) {
                warn(fmt::format("{} has not ended by itself; it gets signal {}.",
                                 member.program.name, signal));
                member.process->signal(signal);
            }
        }
    }

    void warn(const std::string& sentence)
    {
        m_show.clearProgress();
        m_show.diagnostic("warning: " + sentence);
    }

    ExitCode report()
    {
        const bool isChiefsOwn =
            m_failure && m_failure->member == &chief() && !m_failure->isOneTooMany;
        if (!m_failure || isChiefsOwn) {
            const bool isComplete = m_failure || !m_supervision.completeReport;
            m_show.content(isComplete ? m_output.result() // its own words
                                      : m_supervision.completeReport(m_output.result()));
        }
        if (isChiefsOwn && m_supervision.watcher != nullptr) {
            m_supervision.watcher->failed(m_output.result());
        }
        if (m_failure && !(isChiefsOwn && chief().end->signal == 0)) {
            reportTask();
        }
        if (m_failure) {
            return static_cast<ExitCode>(m_failure->member->end->code);
        }
        const auto isFailed = [](const Member& member) {
            return member.end->code != 0 && (member.isEvaluator || member.program.isShown);
        };
        const auto failed = std::find_if(m_members.begin(), m_members.end(), isFailed);
        return static_cast<ExitCode>(failed == m_members.end() ? 0 : failed->end->code);
    }

    void reportTask()
    {
        const Member& member = *m_failure->member;
        const TaskProgram& task = member.program;
        const std::string how = member.end->text();
        Error failure = m_failure->isOneTooMany
                            ? error(ErrorCode::Aborted, kTooManyRestarts, task.name, how,
                                    m_supervision.maxRestarts, task.log)
                            : error(ErrorCode::Aborted, kTaskFailed, task.name, how, task.log);
        const std::vector<std::string> lines =
            task.isShown ? std::vector<std::string>() : lastLines(task.log, kShownLines);
        for (const std::string& line : lines) {
            m_show.diagnostic(fmt::format("{}: {}", task.name, line));
        }
        m_show.problem(failure);
        failure.notes = lines;
        m_show.errorResult(failure);
        if (m_supervision.watcher != nullptr) {
            m_supervision.watcher->failed(errorJson(failure));
        }
    }

    LaunchOutput& m_show;
    const ClusterSupervision& m_supervision;
    StopSignals m_signals;
    TaskOutput m_output;
    std::vector<Member> m_members;
    Phase m_phase = Phase::Running;
    std::optional<Failure> m_failure;
    std::optional<Clock::time_point> m_terminateAt; ///< those that have not ended
    std::optional<Clock::time_point> m_killAt;      ///< the same
    int m_restarts = 0;
    /// The last end that counted, and whether that of the task that was lost first is known.
    struct Loss
    {
        Clock::time_point at;
        bool hasCause = false;
        std::set<const Member*> ended; ///< of it
    };
    std::optional<Loss> m_loss;
    int m_passedOn = 0; ///< the signal, 0: none
    bool m_isOutputClosed = false;
    bool m_isDiagnosticsClosed = false;
};

} // namespace

ClusterEnd superviseCluster(LaunchOutput& output, const ClusterSupervision& supervision)
{
    std::unique_ptr<storage::WritableFile> chiefsLog;
    for (const TaskProgram& task : supervision.tasks) {
        auto log = supervision.continuesLog ? storage::realFileSystem().openForAppend(task.log)
                                            : storage::realFileSystem().create(task.log);
        if (!log) {
            return {.code = reportFailure(output, log.error())};
        }
        if (task.isShown) {
            chiefsLog = std::move(*log);
        }
    }
    return ClusterSupervisor(output, supervision, std::move(chiefsLog)).run();
}

} // namespace cannery::launch
