// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/spec/experiment.pb.h"
#include "core/strategies/worker_group.h"
#include "core/train/loop/training_observer.h"
#include "core/train/model_fitting.h"

#include <string>

namespace cannery::train {

/// What has to be equal in all tasks of a cluster: the resolved experiment, as far as it matters
/// for training, and the fingerprint of its data.
std::string identityOf(spec::Experiment experiment, const std::string& dataFingerprint);

/// A training's way into its cluster and out of it; does nothing for a process that trains alone.
class Cluster
{
public:
    /// Either may be null, or both. All outlive this object.
    Cluster(strategies::WorkerGroup* group, parameters::ParameterClient* parameters,
            TrainingObserver& observer);
    ~Cluster();
    Cluster(const Cluster&) = delete;
    Cluster& operator=(const Cluster&) = delete;

    /// Introduces this process to those that train in step.
    Result<void> open(const spec::Experiment& experiment, const std::string& dataFingerprint);
    /// Tells the others how the training has ended here.
    void leave(const Result<ModelFittingResult>& result);

private:
    void awaitMissing();

    strategies::WorkerGroup* m_group;
    parameters::ParameterClient* m_parameters;
    bool m_isSomebodyMissing = false; ///< a task that the chief has not seen yet
};

} // namespace cannery::train
