// SPDX-License-Identifier: Apache-2.0
#include "core/train/cluster.h"

#include "core/base/interruption.h"
#include "core/spec/text_format.h"

namespace cannery::train {
namespace {

/// The note of an ordinary start.
constexpr std::string_view kFormed = "coordinator.note_formed";

/// What has to be equal in all tasks.
std::string identityOf(spec::Experiment experiment, const std::string& dataFingerprint)
{
    const std::int64_t seed = experiment.run_config().tf_random_seed();
    experiment.clear_name();
    experiment.clear_description();
    experiment.clear_eval_spec();
    experiment.clear_run_config();
    experiment.mutable_run_config()->set_tf_random_seed(seed);
    return spec::printExperiment(experiment) +
           fmt::format("# The training data has the fingerprint {}.\n", dataFingerprint);
}

coordinator::Outcome outcomeOf(const Result<ModelFittingResult>& result)
{
    if (!result) {
        return result.error().id == kInterruptedId ? coordinator::Outcome::Stopping
                                                   : coordinator::Outcome::Failed;
    }
    const StopReason reason = result->outcome.reason;
    return reason == StopReason::Cancelled || reason == StopReason::Interrupted
               ? coordinator::Outcome::Stopping
               : coordinator::Outcome::Done;
}

} // namespace

Cluster::Cluster(strategies::WorkerGroup* group, TrainingObserver& observer) : m_group(group)
{
    if (m_group != nullptr) {
        m_group->setNoteSink([&observer](const coordinator::Note& note) {
            const bool isNews = note.id != kFormed;
            observer.noted(isNews ? LogLevel::Warning : LogLevel::Info, note.id, note.sentence);
        });
    }
}

Cluster::~Cluster()
{
    if (m_group != nullptr) {
        m_group->setNoteSink({});
    }
}

Result<void> Cluster::open(const spec::Experiment& experiment, const std::string& dataFingerprint)
{
    return m_group == nullptr ? Result<void>()
                              : m_group->open(identityOf(experiment, dataFingerprint));
}

void Cluster::leave(const Result<ModelFittingResult>& result)
{
    if (m_group != nullptr) {
        m_group->passNotes();
        m_group->leave(outcomeOf(result),
                       result ? result->outcome.sentence : result.error().message());
    }
}

} // namespace cannery::train
