// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/features/encoded_dataset.h"
#include "core/graph/lowered_model.h"
#include "core/plan/model.h"
#include "core/train/linear_solution.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cannery::train {

/// The linear part of a model as a problem of its own, and where its solution goes.
struct LinearPartProblem
{
    LinearProblem problem;
    std::vector<std::string> weights; ///< variables, in the order of the problem's columns
    std::string bias;
    std::vector<std::int64_t> widths; ///< columns of the problem for each feature column
};

/// Made of the labelled rows chosen. Nothing for a model without a linear part, or one that has no
/// closed form: several heads, embeddings in the linear part, counts. Errors: of reading rows.
Result<std::optional<LinearPartProblem>> linearPartOf(const graph::LoweredModel& lowered,
                                                      const features::EncodedDataset& rows,
                                                      std::span<const std::int64_t> chosen);

/// What the model says of rows before its linear part has learned anything: the deep part's logits.
Result<std::vector<float>> logitsOf(plan::Model& model, const features::EncodedDataset& rows,
                                    std::span<const std::int64_t> chosen);

void putLinearWeights(const LinearPartProblem& part, const LinearWeights& weights,
                      plan::Model& model);

/// train_spec.linear_start: the linear part of a fresh model begins at the minimum of its own
/// regularized loss on the training rows (a hundred thousand of them where there are more), given
/// what the deep part says at the start. A sentence for the log.
Result<std::string> startLinearPart(const graph::LoweredModel& lowered,
                                    const features::EncodedDataset& rows, double l2,
                                    plan::Model& model);

} // namespace cannery::train
