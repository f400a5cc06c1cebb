// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/dtype.h"
#include "core/base/result.h"
#include "core/base/shape.h"
#include "storage/tf/graphs/emitted_value.h"
#include "storage/tf/graphs/node_ref.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace cannery::storage {
class GraphDefBuilder;
} // namespace cannery::storage

namespace cannery::features {

class FeatureEncoder;

/// The input of a served model.
enum class Receiver
{
    Parsing, ///< serialized tf.Example messages: one string tensor, key "examples"
    Raw,     ///< one tensor per raw feature
};

struct EmitOptions
{
    Receiver receiver = Receiver::Parsing;
    /// Raw only: the features that get a placeholder; all that the model reads if empty. Other
    /// features that the model reads count as missing in every row, which is an error for required
    /// ones.
    std::vector<std::string> rawFeatures;
    /// Types of raw features in the data, for those the experiment leaves unset.
    std::map<std::string, DType> dtypes;
    /// Also the labels, as TensorFlow's supervised receivers have them: one input "label", or one
    /// per head of a multi_head with its name; and the features of weight columns.
    bool withLabels = false;
    /// Numeric columns as they are before they are normalized, for trees, which compare places of
    /// raw numbers (see RawOrder).
    bool rawNumbers = false;
};

/// An input of the served model: key, tensor, and its description in a signature.
struct ReceiverTensor
{
    std::string key;
    storage::NodeRef tensor;
    DType dtype = DType::Invalid;
    Shape shape; ///< the batch is -1
};

struct EmittedFeatures
{
    /// One per slot of the encoder's layout, in that order: [batch, width] floats, or ids.
    std::vector<storage::EmittedValue> slots;
    std::vector<ReceiverTensor> receiver;
    /// Number of rows, an int32 scalar (needed by a model without feature columns).
    storage::NodeRef batchSize;
    /// Only with labels: floats [batch, label width] and [batch, weight width], as in EncodedRows;
    /// `weights` without a node: the heads have no weight columns.
    storage::NodeRef labels;
    storage::NodeRef weights;
};

/// The raw features that some column of the encoder reads as numbers.
std::set<std::string> numberFeatures(const FeatureEncoder& encoder);

/// Emits the receiver and every column of the encoder as TensorFlow nodes, vocabulary files as
/// assets, tables with their initializers.
///
/// The graph gives the ids used in training, which may differ from those of TensorFlow's own
/// export:
/// - an absent feature, an empty list and an empty cell mean the same: the column's default if the
///   data has one, else no category, the default of a numeric column, or an error;
/// - the text of a missing token means a missing cell too;
/// - the empty text and -1 in a feature that is a plain column of the table mean no category to a
///   categorical column, and are hashed like any value in a cross of raw features;
/// - a cross takes its inputs in the order of training: sparse features and columns first, then
///   plain raw features, whatever the receiver made of them.
///
/// Otherwise, requests of TensorFlow's clients give the usual results. A graph with labels fails,
/// as TensorFlow's does, for a label that its head does not know. Errors: "features.cannot_emit",
/// what a raw receiver lacks, and those of emitLabels().
Result<EmittedFeatures> emitFeatures(storage::GraphDefBuilder& graph, const FeatureEncoder& encoder,
                                     const EmitOptions& options = {});

} // namespace cannery::features
