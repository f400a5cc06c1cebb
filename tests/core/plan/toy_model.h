// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/model.h"

#include <string>
#include <vector>

namespace cannery::tests {

/// Six feature slots for hand-made models: "x" (three floats), "one" (one of 40 ids), "many" (0 to
/// 4 of 9 ids, one in eight of them -1), "heavy" (the same with weights, some not positive), "path"
/// (0 to 5 steps of two floats) and "word" (one of 320 ids at each of these steps, or -1). Columns
/// for them: x, one, many, heavy, path, word; word_table, word_hot; one_table, many_table,
/// heavy_table (embeddings of dimension 3; sum, mean with max_norm, sqrtn); one_hot, heavy_hot
/// (indicators); both (shared embeddings of many and heavy).
features::InputLayout toyLayout();

/// Random rows of that layout with labels (`labelWidth` values of 0 or 1).
features::EncodedRows toyRows(std::int64_t rows, std::uint64_t seed, std::int64_t labelWidth = 1);

/// The same with labels, and weights if wanted, of their steps.
features::EncodedRows stepRows(std::int64_t rows, std::uint64_t seed, std::int64_t labelWidth = 1,
                               bool areWeighted = false);
/// Layout and rows that have one id in every slot, and no path.
features::InputLayout singleIdLayout();
features::EncodedRows singleIdRows(std::int64_t rows, std::uint64_t seed,
                                   std::int64_t labelWidth = 1);
/// Gives rows as many steps as this, random ones; labels, if steps have them, follow.
void setSteps(features::EncodedRows& batch, const std::vector<std::int64_t>& lengths,
              std::uint64_t seed);

/// The same before it becomes a model.
Result<graph::LoweredModel> toyLowered(const std::string& estimator);

/// The estimator (text of spec::Estimator's body) over those columns.
Result<std::unique_ptr<plan::Model>> toyModel(const std::string& estimator,
                                              const plan::ModelOptions& options = {});

std::span<float> floatsOf(const plan::StateTensor& tensor);
/// The named state tensor's values; aborts if there is none.
std::span<float> stateOf(plan::Model& model, const std::string& name);
/// Every byte of the state, sorted by name.
std::vector<std::byte> allState(plan::Model& model);

/// The derivative of the loss of a step by a weight, which is one of the model's state: from the
/// losses a little above and below it.
double lossSlope(plan::Model& model, const features::EncodedRows& rows, std::int64_t globalStep,
                 float& weight);

/// Estimators that use every layer and kind of column.
struct ToyEstimator
{
    const char* name;
    const char* text;
    bool isPlaced = true; ///< devices compute all of its layers
};
std::span<const ToyEstimator> toyEstimators();

} // namespace cannery::tests
