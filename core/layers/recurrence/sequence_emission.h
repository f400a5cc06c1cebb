// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/layer.h"
#include "core/layers/recurrence/recurrent_options.h"

#include <optional>

namespace cannery::layers {

// Sequences in a TensorFlow graph: float [batch, steps, width], padded, with the number of steps
// of each row (storage::EmittedValue::stepCounts).

/// The context's input, ids of a sequence, looked up in its variable: zeros where a step has no
/// category or the row has ended.
storage::EmittedValue emitSequenceLookup(const EmitContext& context, std::optional<float> maxNorm);

/// The inputs of a SequenceInputLayer side by side.
storage::EmittedValue emitSequenceInput(const EmitContext& context);

/// All steps of a sequence, padding included, as rows: [batch * steps, width].
storage::NodeRef emitFlatSteps(storage::GraphDefBuilder& graph, const storage::NodeRef& sequence,
                               std::int64_t width);
/// The inverse: such rows as the steps of `sequence`, [batch, steps, width].
storage::NodeRef emitPaddedSteps(const EmitContext& context, const storage::NodeRef& sequence,
                                 const storage::NodeRef& rows, std::int64_t width);

/// A recurrent layer. Over a sequence: a loop over the steps, in the operations that TensorFlow's
/// tf.while_loop makes in a graph; a row keeps its output after its last step. Over rows of shape
/// [time, channels]: each step by itself.
storage::EmittedValue emitRecurrent(const EmitContext& context, const RecurrentOptions& options);

} // namespace cannery::layers
