// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/features/encoded_dataset.h"
#include "core/plan/model.h"

#include <cstdint>
#include <span>

namespace cannery::advice {

/// Rows of a batch of trialScore().
inline constexpr std::int64_t kScoredAtOnce = 512;

/// How a trained model did on some rows.
struct TrialScore
{
    double loss = 0;    ///< the mean, in units of the label's scale; the largest number if infinite
    double measure = 0; ///< AUC of two classes, accuracy of more, 0 of numbers
};

/// Errors: those of reading the rows.
Result<TrialScore> trialScore(plan::Model& model, const features::EncodedDataset& rows,
                              std::span<const std::int64_t> heldOut, double labelScale);

} // namespace cannery::advice
