// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/lowered_model.h"
#include "core/plan/learners/learner.h"
#include "kernels/accelerator/accelerator.h"

#include <cstdint>
#include <memory>
#include <span>

namespace cannery::plan {

struct LearnerRequest
{
    const graph::LoweredModel& lowered; ///< with a learner
    const heads::Head& head;
    std::uint64_t seed = 0;
    kernels::Accelerator* accelerator = nullptr; ///< ModelOptions::accelerator of a training
};

using LearnerMaker = Result<std::unique_ptr<Learner>> (*)(const LearnerRequest& request);

struct LearnerRow
{
    spec::Estimator::KindCase key = spec::Estimator::KIND_NOT_SET;
    LearnerMaker make = nullptr;
};

/// One row for each estimator that learns in steps of its own, in the order of the schema.
std::span<const LearnerRow> learnerCatalog();

/// The learner of the model's estimator. Errors: of its maker.
Result<std::unique_ptr<Learner>> makeLearner(const LearnerRequest& request);

} // namespace cannery::plan
