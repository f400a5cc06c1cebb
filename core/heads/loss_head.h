// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/heads/head.h"

#include <memory>

namespace cannery::spec {
class Head;
}

namespace cannery::heads {

/// What turns the values that a head gets into the outputs of its network.
enum class OutputActivation
{
    None, ///< they are the outputs
    Sigmoid,
    Softmax,
};

/// Whether the loss of this loss_head is computed from the values behind a sigmoid or softmax, as
/// Keras does where a network ends in one; false for other heads.
bool goesBehindActivation(const spec::Head& message);

/// Predictions are the network's outputs, judged by a loss of Keras. Labels are numbers, or with
/// n_classes one class per row: an id for sparse_categorical_crossentropy, otherwise compared as 1
/// for the class and 0 for the others; of two classes, a binary loss has one output and the label 0
/// or 1. Errors: "head.no_loss", "head.loss_classes", "head.ignored_class",
/// "head.label_dimension" and those of the other heads' names and vocabularies.
Result<std::unique_ptr<Head>> makeLossHead(const spec::Head& message);
/// The same for a network that leaves its last activation to the head.
Result<std::unique_ptr<Head>> makeLossHead(const spec::Head& message, OutputActivation activation);

} // namespace cannery::heads
