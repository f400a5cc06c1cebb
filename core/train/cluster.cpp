// SPDX-License-Identifier: Apache-2.0
#include "core/train/cluster.h"

#include "core/base/interruption.h"
#include "core/reports/engine_status.pb.h"
#include "core/spec/text/text_format.h"
#include "core/train/loop/training_loop.h"
#include "kernels/accelerator/errors.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace cannery::train {
namespace {

/// The note of an ordinary start.
constexpr std::string_view kFormed = "coordinator.note_formed";

/// Of a task that was started with the chief.
constexpr std::chrono::seconds kLongestStart(5);
constexpr std::chrono::milliseconds kLookForTasks(50);

bool isMissing(const coordinator::MemberStatus& member)
{
    // A task whose process has not joined yet has no host.
    return member.host.empty();
}

std::string stateOf(const coordinator::MemberStatus& member)
{
    if (member.hasLeft) {
        return "done";
    }
    if (!member.isPresent) {
        return isMissing(member) ? "starting" : "lost";
    }
    return member.isWaiting ? "waiting" : "running";
}

/// What the last to arrive waits for is the network alone; the others wait for it, too.
std::optional<double> networkSeconds(const std::vector<coordinator::MemberStatus>& members)
{
    std::optional<double> least;
    for (const coordinator::MemberStatus& member : members) {
        if (member.isPresent && member.lastStep.step > 0) {
            // The last to arrive waits least.
            least =
                std::min(least.value_or(member.lastStep.waitSeconds), member.lastStep.waitSeconds);
        }
    }
    return least;
}

std::vector<reports::TaskStatus> statusesOf(const std::vector<coordinator::MemberStatus>& members)
{
    const std::optional<double> network = networkSeconds(members);
    std::vector<reports::TaskStatus> statuses;
    for (const coordinator::MemberStatus& member : members) {
        // Only a present task's times are of the step that the others have just done.
        const coordinator::StepTimes& last = member.lastStep;
        reports::TaskStatus& status = statuses.emplace_back();
        status.set_task(member.task);
        status.set_state(stateOf(member));
        status.set_step(last.step);
        status.set_restarts(member.restarts);
        if (member.isPresent && last.step > 0) {
            status.set_step_seconds(last.computeSeconds + last.waitSeconds);
            status.set_wait_seconds(last.waitSeconds - *network);
            status.set_network_seconds(*network);
        }
    }
    return statuses;
}

/// With GPUs another process of this task can go on, as if this one had died.
bool isReplaceable(const Error& error)
{
    return error.id == kGpusLost.id || error.id == kernels::kGpuLost.id ||
           error.id == kernels::kGroupLost.id;
}

coordinator::Outcome outcomeOf(const Result<ModelFittingResult>& result)
{
    if (!result) {
        // A task that was interrupted by its user has not failed: the others stop, too, and resume
        // with it.
        return result.error().id == kInterruptedId ? coordinator::Outcome::Stopping
                                                   : coordinator::Outcome::Failed;
    }
    const StopReason reason = result->outcome.reason;
    return reason == StopReason::Cancelled || reason == StopReason::Interrupted
               ? coordinator::Outcome::Stopping
               : coordinator::Outcome::Done;
}

} // namespace

std::string identityOf(spec::Experiment experiment, const std::string& dataFingerprint)
{
    const std::int64_t seed = experiment.run_config().tf_random_seed();
    // What does not change the trained bits may differ between tasks: names, evaluation and the
    // run's settings, except for its seed.
    experiment.clear_name();
    experiment.clear_description();
    experiment.clear_eval_spec();
    experiment.clear_run_config();
    experiment.mutable_run_config()->set_tf_random_seed(seed);
    return spec::printExperiment(experiment) +
           fmt::format("# The training data has the fingerprint {}.\n", dataFingerprint);
}

Cluster::Cluster(strategies::WorkerGroup* group, parameters::ParameterClient* parameters,
                 TrainingObserver& observer)
    : m_group(group), m_parameters(parameters)
{
    const auto sink = [&observer](const coordinator::Note& note) {
        // An ordinary start is not worth a warning.
        const bool isNews = note.id != kFormed;
        observer.noted(isNews ? LogLevel::Warning : LogLevel::Info, note.id, note.sentence);
    };
    if (m_group != nullptr) {
        m_group->setNoteSink(sink);
        m_group->setMembersSink([this, &observer](const auto& members) {
            m_isSomebodyMissing = std::ranges::any_of(members, isMissing);
            observer.workersSeen(statusesOf(members));
        });
    }
    if (m_parameters != nullptr) {
        m_parameters->setNoteSink(sink);
    }
}

Cluster::~Cluster()
{
    // The observer may be gone before the group: no note may reach it from here on.
    if (m_group != nullptr) {
        m_group->setNoteSink({});
        m_group->setMembersSink({});
    }
    if (m_parameters != nullptr) {
        m_parameters->setNoteSink({});
    }
}

Result<void> Cluster::open(const spec::Experiment& experiment, const std::string& dataFingerprint)
{
    return m_group == nullptr ? Result<void>()
                              : m_group->open(identityOf(experiment, dataFingerprint));
}

/// Tasks that start while the chief ends, as it has nothing left to do, wait for it in vain unless
/// it notifies them.
void Cluster::awaitMissing()
{
    const auto end = std::chrono::steady_clock::now() + kLongestStart;
    while (m_isSomebodyMissing && std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(kLookForTasks);
        m_group->passNotes();
    }
}

void Cluster::leave(const Result<ModelFittingResult>& result)
{
    const coordinator::Outcome outcome = outcomeOf(result);
    const std::string reason = result ? result->outcome.sentence : result.error().message();
    if (m_group != nullptr) {
        // Notes that have arrived since the last step would otherwise be lost.
        m_group->passNotes();
        if (outcome == coordinator::Outcome::Done) {
            awaitMissing();
        }
        // One that another process can replace does not leave: the others wait for its successor.
        if (result || !isReplaceable(result.error())) {
            m_group->leave(outcome, reason);
        }
    }
    if (m_parameters != nullptr) {
        m_parameters->leave(outcome, reason);
    }
}

} // namespace cannery::train
