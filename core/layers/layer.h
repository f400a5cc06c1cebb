// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/graph/layer_graph.h"
#include "core/layers/layer_buffers.h"
#include "kernels/accelerator/program.h"
#include "storage/tf/graphs/emitted_value.h"
#include "storage/tf/graphs/graph_def_builder.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::layers {

/// A variable that a layer requires; its name is the node's name and `suffix`.
struct LayerVariable
{
    std::string suffix;
    Shape shape;
    spec::Initializer initializer;
    graph::InitialPattern pattern = graph::InitialPattern::None;
    bool trainable = true;
    graph::GradientKind gradient = graph::GradientKind::Dense;
    spec::Regularizer regularizer = {}; ///< without a kind: none
    spec::Constraint constraint = {};   ///< without a kind: none
};

/// A layer's output for given inputs, and its requirements.
struct LayerSignature
{
    graph::Value output; ///< without a name
    std::vector<LayerVariable> variables;
};

/// Of a layer without variables whose rows have the shape of its input's.
LayerSignature signatureLike(const graph::Value& input);

/// What a layer uses to add itself to a TensorFlow graph.
struct EmitContext
{
    storage::GraphDefBuilder& graph;
    const graph::LayerGraph& layers;
    const graph::Node& node;
    std::span<const storage::EmittedValue> inputs;
    std::vector<const storage::GraphVariable*> variables;
    storage::NodeRef batchSize; ///< int32 scalar: rows of the batch
};

enum class Pass
{
    Forward,
    Backward,
};

/// A layer that looks at all rows of a batch, in a step whose shards are one batch to it
/// (StepContext::isAcross). Before each pass of such a layer every shard collects partial sums;
/// they are merged as one binary tree over the shards, and every shard gets those of all. As the
/// passes, these do not allocate and cannot fail.
class AcrossShards
{
public:
    virtual ~AcrossShards() = default;

    /// Of the partial sums, in either pass; those of no rows are all 0.
    virtual std::int64_t sumCount() const = 0;
    /// For the backward pass, with the gradient of the output.
    virtual void collect(const StepContext& step, Pass pass, std::span<double> sums) = 0;
    /// left = left and right together.
    virtual void merge(Pass pass, std::span<double> left, std::span<const double> right) const = 0;
    /// The next pass uses the sums of all shards, of at least one row.
    virtual void receive(Pass pass, std::span<const double> sums) = 0;
};

/// A training step, or the forward pass of another mode, of one size, for an accelerator.
struct Placement
{
    kernels::AcceleratorProgram& program;
    std::int64_t rows = 0; ///< of the batch
    Mode mode = Mode::Train;
    std::uint64_t seed = 0;
    kernels::ProductPrecision precision = kernels::ProductPrecision::Float32;
    std::uint64_t firstRow = 0; ///< of the batch in the step, for what is drawn at random
    std::int64_t shards = 1;    ///< that statistics are summed over, see Layer::updateStatistics()
    /// The members of a group, each of which places the same for a shard, if layers that can look
    /// across shards do (see AcrossShards); one that is alone otherwise.
    kernels::GroupRank across;
    kernels::DeviceSteps steps; ///< of all sequences; `most` is a multiple of kStepsOfProduct
    std::string_view label;     ///< of the operations: the node's name
};

/// A layer of a LayerGraph: its shapes, its forward and backward pass, and its nodes in a
/// TensorFlow graph. One object serves one node. Forward and backward do not allocate once batches
/// have been as large, cannot fail, and give the same bits for any number of threads.
class Layer
{
public:
    virtual ~Layer() = default;

    /// Shapes for these inputs, or an error ("layers.…") that says what does not fit.
    virtual Result<LayerSignature> signature(std::span<const graph::Value* const> inputs) const = 0;

    /// Called before all others: training does not change the layer, so what it would do in
    /// training only it does not do. Its variables are those of signature(), not trained.
    virtual void freeze() {}

    /// Binds its buffers, chooses kernels and appends its gradient segments to the trained
    /// variables. Called again when the plan makes larger buffers.
    virtual void prepare(const LayerBuffers& buffers) = 0;
    virtual void forward(const StepContext& step) = 0;
    /// After forward in Train mode: from the output's gradient (which it may overwrite) to those of
    /// variables and of inputs that need one.
    virtual void backward(const StepContext& step) = 0;

    /// After prepare(): adds what forward() does in a mode, and backward() in a training step, to a
    /// program, over mirrors of the same buffers. Errors: "layers.not_placed".
    virtual Result<void> placeForward(const Placement& placement);
    virtual Result<void> placeBackward(const Placement& placement);
    /// What updateStatistics(1) does.
    virtual void placeStatistics(const Placement& /*placement*/) {}

    /// Numbers of a training step that shards average, as they sum gradients: the moments of a
    /// batch. How many there are; where the layer leaves them until the next forward pass (bound
    /// after prepare()); and the update of what follows them, given `scale` * what stands there:
    /// their mean.
    virtual std::int64_t statisticsCount() const { return 0; }
    virtual void bindStatistics(std::span<float> /*statistics*/) {}
    virtual void updateStatistics(float /*scale*/) {}
    /// Null if what it makes of a row depends on no other row.
    virtual AcrossShards* acrossShards() { return nullptr; }

    /// After forward(): what the layer adds to the loss of the batch, in every mode.
    virtual double penalty(const StepContext& /*step*/) { return 0.0; }
    virtual bool hasPenalty() const { return false; }

    /// Whether its passes may run at the same time as those of its neighbours: it reads none of
    /// their outputs, and is too small to be split further.
    virtual bool runsBesideOthers() const { return false; }

    /// After prepare(): whether a pass may be cut into parts of the batch, which pass through all
    /// layers on different threads at the same time. forward() then takes a part, too, and
    /// backward() is the same as backwardRows() of all parts, then every backwardWeights().
    virtual bool runsByRows() const { return false; }
    /// From the output's gradient (which it may overwrite) to those of inputs that need one.
    virtual void backwardRows(const StepContext& /*part*/) {}
    /// Independent pieces of the gradients of variables: the cost of each, in multiplications per
    /// row.
    virtual std::vector<std::int64_t> weightTasks() const { return {}; }
    /// One of them, over the whole batch.
    virtual void backwardWeights(const StepContext& /*step*/, std::size_t /*task*/) {}

    /// After prepare(): the kernel of its products, for a profile, such as "onednn"; empty if it
    /// has none.
    virtual std::string_view implementation() const { return {}; }

    /// Adds nodes that compute the inference output; the open scope is the node's.
    virtual storage::EmittedValue emit(const EmitContext& context) const = 0;
};

} // namespace cannery::layers
