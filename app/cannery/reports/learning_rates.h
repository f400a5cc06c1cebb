// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/spec/experiment.pb.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cannery::app {

/// The learning rate of one optimizer of an estimator over the planned steps.
struct LearningRateCurve
{
    struct Point
    {
        std::int64_t step = 0; ///< from 0
        float rate = 0;
    };

    std::string path;      ///< "estimator.dnn_classifier.optimizer"
    std::string optimizer; ///< "adam"
    std::string schedule;  ///< "cosine_decay"; empty without one
    /// From step 0 to the last one, evenly spaced; two points if the rate never changes.
    std::vector<Point> points;
};

/// The curve of each optimizer of the (resolved) experiment's estimator, as the optimizer itself
/// computes it in training. Errors: those of an optimizer.
Result<std::vector<LearningRateCurve>> learningRates(const spec::Experiment& experiment,
                                                     std::int64_t steps);

} // namespace cannery::app
