// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/spec/losses.pb.h"
#include "kernels/ops/row_loss.h"

#include <span>
#include <string_view>

namespace cannery::heads {

/// What makes a chance of an output.
enum class Chances
{
    None,        ///< outputs are no probabilities: distances and margins
    PerOutput,   ///< each output by itself, by a sigmoid of logits
    OfAllOutputs ///< all of a row together, by a softmax of logits
};

/// A loss of spec::Loss.
struct ChosenLossRow
{
    spec::Loss::KindCase key;
    std::string_view name; ///< of the field of spec::Loss
    kernels::RowLoss loss;
    Chances chances = Chances::None;
    /// A cross entropy that Keras computes from the values behind a sigmoid or softmax, where the
    /// model ends in one (keras.backend._get_logits).
    bool goesBehindActivation = false;
};

/// Every loss, in the order of the schema.
std::span<const ChosenLossRow> chosenLossCatalog();

/// The row of the kind that is set, or nullptr.
const ChosenLossRow* findChosenLoss(const spec::Loss& message);

/// The loss with its arguments; labels are numbers, but for sparse_categorical_crossentropy.
/// Errors: "head.no_loss".
Result<kernels::RowLossRule> lossRule(const spec::Loss& message);

} // namespace cannery::heads
