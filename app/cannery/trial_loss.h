// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/features/encoded_dataset.h"
#include "core/plan/model.h"

#include <cstdint>
#include <span>

namespace cannery::app {

/// Rows of a batch of trialLoss().
inline constexpr std::int64_t kJudgedAtOnce = 512;

/// The mean loss of a trained model on some rows, in units of the label's scale; the largest number
/// if it is not finite. Errors: those of reading the rows.
Result<double> trialLoss(plan::Model& model, const features::EncodedDataset& rows,
                         std::span<const std::int64_t> judged, double labelScale);

} // namespace cannery::app
