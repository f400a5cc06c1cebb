// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/shape.h"
#include "core/spec/layers.pb.h"
#include "core/spec/types.pb.h"
#include "core/spec/weights.pb.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::layers {
class Layer;
} // namespace cannery::layers

namespace cannery::graph {

/// Indices into the vectors of a LayerGraph.
using ValueId = std::int32_t;
using VariableId = std::int32_t;

enum class ValueKind
{
    Dense, ///< `width` floats per row
    Ids,   ///< any number of ids below `width` per row, optionally weighted: a categorical column
    Indicator, ///< the same, representing `width` floats per row (how often each id occurs)
    Columns,   ///< Dense and Indicator values side by side, `width` in total; never expanded
    Sequence,  ///< any number of steps per row, each of `width` floats
};

/// "dense", "ids", ...: for messages.
std::string_view name(ValueKind kind);

/// A value that flows along an edge. The first dimension is always the batch.
struct Value
{
    std::string name; ///< of a column: its TensorFlow name; otherwise of the node that makes it
    ValueKind kind = ValueKind::Dense;
    std::int64_t width = 0;
    /// Dense only: the dimensions of a row, `width` numbers in all, row-major and channels last:
    /// {height, width, channels} of an image. Empty: a vector.
    std::vector<std::int64_t> shape;
    bool isSequence = false; ///< Ids and Indicator: each id is a step, -1 one without a category
    /// Columns only, in order: first column and kind of each part.
    struct Part
    {
        std::int64_t firstColumn = 0;
        std::int64_t width = 0;
        ValueKind kind = ValueKind::Dense;
        bool operator==(const Part&) const = default;
    };
    std::vector<Part> parts;
};

/// The dimensions of a row: {width} of a vector.
std::vector<std::int64_t> rowShape(const Value& value);
/// "[28, 28, 1]": for messages.
std::string shapeText(const Value& value);

/// Where a value enters the graph: which slot of features::InputLayout it reads, and thus which
/// block of features::EncodedRows (of `dense` for a Dense value, of `sequences` for a Sequence,
/// else of `ids`). Several inputs may read one slot (ids and indicator of the same column).
struct Input
{
    ValueId value = -1;
    std::int32_t slot = -1;
    std::int32_t block = -1;
};

enum class GradientKind
{
    Dense,  ///< every element has a gradient, zero or not
    Sparse, ///< TensorFlow's IndexedSlices: only the rows that were looked up have one
};

/// A source of a variable's initial values other than its initializer.
struct CheckpointTensor
{
    std::string path; ///< a checkpoint or its folder, relative to the experiment file
    std::string name;
};

/// Initial values that no initializer of the schema gives.
enum class InitialPattern
{
    None,
    /// 1 in the second quarter of a vector, the forget gate of an LSTM, else 0: Keras's
    /// unit_forget_bias.
    ForgetGateOpen,
};

struct Variable
{
    std::string name; ///< TensorFlow's key in a checkpoint
    Shape shape;
    spec::Initializer initializer;
    InitialPattern pattern = InitialPattern::None; ///< otherwise instead of `initializer`
    bool trainable = true;
    GradientKind gradient = GradientKind::Dense;
    std::string scope; ///< whose optimizer trains it: "dnn", "linear", "baseline"
    CheckpointTensor initialCheckpoint;
    spec::Regularizer regularizer; ///< without a kind: none
    spec::Constraint constraint;   ///< without a kind: none
};

struct Node
{
    std::string name; ///< TensorFlow's scope of the layer: "dnn/hiddenlayer_0"
    spec::Layer layer;
    std::vector<ValueId> inputs;
    std::vector<VariableId> variables;
    ValueId output = -1;
    /// Makes a layer that only its estimator knows; otherwise empty, and `layer` counts.
    /// layers::makeLayer decides.
    std::function<std::unique_ptr<layers::Layer>()> makeLayer = {};
    std::string kind = {}; ///< of such a layer, for people: "cluster_distances"
};

enum class SummaryKind
{
    Scalar,       ///< of a variable of one element
    ZeroFraction, ///< fraction of zeros, in a value or in all the variables together
    Histogram,    ///< of a value or of all the variables together
    StepCounts,   ///< histogram of the steps of each row, in a Sequence
};

/// A summary that TensorFlow's estimators write besides the loss; of one value, or of variables.
struct Summary
{
    std::string tag;
    SummaryKind kind = SummaryKind::Scalar;
    ValueId value = -1;
    std::vector<VariableId> variables;
};

/// A model as a list of layers in the order of evaluation, without numbers. It is trained
/// (core/plan), drawn, and exported (layers::emitGraph). Made by layers::LayerGraphBuilder, which
/// checks shapes.
struct LayerGraph
{
    std::vector<Input> inputs;
    std::vector<Value> values;
    std::vector<Variable> variables;
    std::vector<Node> nodes;
    ValueId logits = -1;
    std::vector<Summary> summaries;

    const Value& value(ValueId id) const { return values[static_cast<std::size_t>(id)]; }
    const Variable& variable(VariableId id) const
    {
        return variables[static_cast<std::size_t>(id)];
    }
};

} // namespace cannery::graph
