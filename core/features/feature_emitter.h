// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/dtype.h"
#include "core/base/result.h"
#include "core/base/shape.h"
#include "storage/tf/emitted_value.h"
#include "storage/tf/node_ref.h"

#include <map>
#include <string>
#include <vector>

namespace cannery::storage {
class GraphDefBuilder;
} // namespace cannery::storage

namespace cannery::features {

class FeatureEncoder;

/// What a served model is given.
enum class Receiver
{
    Parsing, ///< serialized tf.Example messages: one string tensor, key "examples"
    Raw,     ///< one tensor a raw feature
};

struct EmitOptions
{
    Receiver receiver = Receiver::Parsing;
    /// Raw only: the features that get a placeholder; empty: all that the model reads. What the
    /// model reads beyond them counts as missing in every row, an error where it must be there.
    std::vector<std::string> rawFeatures;
    /// Types of raw features as the data has them, for what the experiment does not say.
    std::map<std::string, DType> dtypes;
};

/// An input of the served model: key, tensor, and what a signature says of it.
struct ReceiverTensor
{
    std::string key;
    storage::NodeRef tensor;
    DType dtype = DType::Invalid;
    Shape shape; ///< the batch is -1
};

struct EmittedFeatures
{
    /// One a slot of the encoder's layout, in that order: [batch, width] floats, or ids.
    std::vector<storage::EmittedValue> slots;
    std::vector<ReceiverTensor> receiver;
    /// Number of rows, an int32 scalar (what a model without feature columns needs).
    storage::NodeRef batchSize;
};

/// Emits the receiver and every column of the encoder as TensorFlow nodes, vocabulary files as
/// assets, tables with their initializers.
///
/// The graph gives the ids of training, not what TensorFlow's own export would give:
/// - an absent feature, an empty list and an empty cell mean the same: the column's default where
///   the data has one, else no category, or the default of a numeric column, or an error;
/// - a missing token of the table written out means a missing cell too;
/// - the empty text and -1 in a feature that is a plain column of the table mean no category to
///   a categorical column, and are hashed like any value in a cross of raw features;
/// - a cross takes its inputs in the order of training: sparse features and columns first, then
///   plain raw features, whatever the receiver made of them.
/// What TensorFlow's clients send otherwise gives what they are used to.
/// Errors: "features.cannot_emit" and what a raw receiver lacks.
Result<EmittedFeatures> emitFeatures(storage::GraphDefBuilder& graph, const FeatureEncoder& encoder,
                                     const EmitOptions& options = {});

} // namespace cannery::features
