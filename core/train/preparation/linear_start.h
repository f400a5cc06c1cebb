// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/features/encoded_dataset.h"
#include "core/graph/lowered_model.h"
#include "core/plan/class_weights.h"
#include "core/plan/model.h"
#include "core/train/preparation/linear_solution.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cannery::train {

/// The linear part of a model as a separate problem, and where its solution goes.
struct LinearPartProblem
{
    LinearProblem problem;
    std::vector<std::string> weights; ///< variables, in the order of the problem's columns
    std::string bias;
    std::vector<std::int64_t> widths; ///< columns of the problem per feature column
};

/// Made from the selected labelled rows, weighted by their classes as in training. Nothing for a
/// model without a linear part, or one without a closed form: several heads, embeddings in the
/// linear part, counts. Errors: of reading rows.
Result<std::optional<LinearPartProblem>>
linearPartOf(const graph::LoweredModel& lowered, const features::EncodedDataset& rows,
             std::span<const std::int64_t> chosen, std::span<const plan::ClassWeight> classes = {});

/// What the model predicts before its linear part has learned anything: the deep part's logits.
Result<std::vector<float>> logitsOf(plan::Model& model, const features::EncodedDataset& rows,
                                    std::span<const std::int64_t> chosen);

void putLinearWeights(const LinearPartProblem& part, const LinearWeights& weights,
                      plan::Model& model);

struct LinearStart
{
    double l2 = 0.0;
    std::span<const plan::ClassWeight> classWeights = {}; ///< as training weighs rows
};

/// train_spec.linear_start: starts the linear part of a fresh model at the minimum of its own
/// regularized loss on the training rows (at most a hundred thousand), given the initial output of
/// the deep part. Returns a sentence for the log.
Result<std::string> startLinearPart(const graph::LoweredModel& lowered,
                                    const features::EncodedDataset& rows, const LinearStart& start,
                                    plan::Model& model);

} // namespace cannery::train
