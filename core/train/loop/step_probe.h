// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/dataset.h"
#include "core/features/encoded_dataset.h"
#include "core/features/feature_encoder.h"
#include "core/plan/last_step.h"
#include "core/plan/model.h"

#include <cstdint>
#include <vector>

namespace cannery::train {

/// How long a model's steps took.
struct MeasuredSteps
{
    int count = 0;                 ///< 0: nothing was measured
    double seconds = 0;            ///< of a step, on average
    double low = 0;                ///< in the fastest part of the measurement
    double high = 0;               ///< in the slowest
    std::vector<double> each;      ///< in their order
    plan::GradientSizes gradients; ///< of the last one
};

struct StepProbe
{
    plan::Model& model; ///< gets trained
    const features::EncodedDataset& rows;
    std::int64_t batchSize = 0;
    std::int64_t shards = 1; ///< of the model
    int parts = 1;           ///< how much they differ shows how far to trust the measurement
    double partSeconds = 0.1;
};

/// The first rows of the table, encoded: enough to measure with.
Result<features::EncodedDataset> firstRows(const data::Dataset& dataset,
                                           const features::FeatureEncoder& encoder);

/// Takes steps on the rows.
Result<MeasuredSteps> measureSteps(const StepProbe& probe);

/// Seconds to evaluate one row: about one forward pass.
Result<double> measureEvaluation(plan::Model& model, const features::EncodedDataset& rows);

} // namespace cannery::train
