// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/layer_graph.h"
#include "core/graph/learner_input.h"
#include "core/spec/estimators.pb.h"
#include "core/spec/heads.pb.h"
#include "core/spec/optimizers.pb.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cannery::heads {
class Head;
} // namespace cannery::heads

namespace cannery::plan {
class OwnStep;
} // namespace cannery::plan

namespace cannery::graph {

/// The optimizer of one part of a model.
struct ScopedOptimizer
{
    std::string scope; ///< trains the variables of this scope
    spec::Optimizer optimizer;
    /// Its step counter is global_step; any other optimizer keeps `<checkpointPrefix>/iter`.
    bool ownsGlobalStep = true;
    std::string checkpointPrefix; ///< "training/Adagrad", "training_2/Adagrad_1"
};

/// A model that no optimizer trains: it learns in steps of its own, such as boosted trees. The row
/// of plan::learnerCatalog() for the estimator's kind makes its plan::Learner.
struct LearnerDescription
{
    spec::Estimator estimator; ///< resolved
    std::vector<LearnerInput> inputs;
};

/// The result of lowering an estimator: one graph up to the logits, the head that evaluates them,
/// and the optimizers. core/plan makes a Model of it, core/export a SavedModel.
struct LoweredModel
{
    LayerGraph graph; ///< of a learner: whatever precedes it, without logits
    spec::Head head;
    /// If the logits are a Sequence: the key of the mask in predictions. The head then evaluates
    /// and predicts each step.
    std::string sequenceMask;
    std::vector<ScopedOptimizer> optimizers;
    /// Makes the head of an estimator whose head is none of the schema's, or one that takes over
    /// the activation behind the network's outputs; otherwise empty, and `head` counts.
    /// heads::makeHead decides.
    std::function<std::unique_ptr<heads::Head>()> makeHead;
    /// Makes the step of an estimator that is not trained by gradient descent (plan::OwnStep), and
    /// has no optimizers; otherwise empty.
    std::function<std::unique_ptr<plan::OwnStep>()> makeStep;
    std::shared_ptr<const LearnerDescription> learner; ///< null if layers and optimizers are all
};

} // namespace cannery::graph
