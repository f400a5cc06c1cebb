// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/layer_graph.h"
#include "kernels/accelerator/operations.h"
#include "kernels/device/tensor_view.h"
#include "kernels/device/thread_pool.h"
#include "kernels/ops/sparse_gradient.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace cannery::layers {

enum class Mode
{
    Train,    ///< dropout drops, batch normalization uses the batch's moments
    Evaluate, ///< neither
    Predict,  ///< as Evaluate
};

struct ValueBuffer;

/// Contiguous columns of one matrix, or one indicator, in a value of kind Columns.
struct ColumnRun
{
    std::int64_t firstColumn = 0;
    const ValueBuffer* source = nullptr; ///< its width is that of the run
    bool isIndicator() const;
};

/// The numbers of one value of the graph: [rows, width], rows back to back; of a Sequence [steps,
/// width], the steps of all rows back to back.
struct ValueBuffer
{
    graph::ValueKind kind = graph::ValueKind::Dense;
    std::int64_t width = 0;
    std::vector<std::int64_t> shape; ///< Dense: graph::rowShape()
    const float* data = nullptr;     ///< Dense; for an input, the batch's own memory
    float* writable = nullptr;       ///< the same memory; null for inputs
    float* grad = nullptr;           ///< d loss / d value; null if not needed
    kernels::IdsView ids;            ///< Ids and Indicator
    std::int64_t mostIds = 0;        ///< upper bound for any batch, as far as known
    std::vector<ColumnRun> runs;     ///< Columns: set by the layer that makes the value
    /// Sequence: row r has the steps [stepOffsets[r], stepOffsets[r + 1]); begins with 0. Set in
    /// every pass by the layer that makes the value, with `data`, `writable` and, if wanted,
    /// `grad`.
    std::span<const std::int64_t> stepOffsets;
    bool wantsGradient = false;   ///< the backward pass passes through this value
    kernels::DeviceIds placedIds; ///< Ids and Indicator, for Layer::placeForward()
    /// Sequence, there: its steps by time (kernels::DeviceSteps), and their gradient if it is
    /// wanted. Set by the placeForward() of the layer that makes it.
    kernels::MatrixView placedSteps;
    kernels::MatrixView placedStepGrads;

    std::int64_t stepCount() const { return stepOffsets.empty() ? 0 : stepOffsets.back(); }
    kernels::ConstMatrixView values(std::int64_t rows) const { return {data, rows, width, width}; }
    kernels::MatrixView output(std::int64_t rows) const { return {writable, rows, width, width}; }
    kernels::MatrixView gradient(std::int64_t rows) const { return {grad, rows, width, width}; }
    /// The same for some rows.
    kernels::ConstMatrixView values(kernels::BlockRange rows) const
    {
        return {data + rows.first * width, rows.count, width, width};
    }
    kernels::MatrixView output(kernels::BlockRange rows) const
    {
        return {writable + rows.first * width, rows.count, width, width};
    }
    kernels::MatrixView gradient(kernels::BlockRange rows) const
    {
        return {grad + rows.first * width, rows.count, width, width};
    }
};

/// Rows of several dimensions as a matrix of their last one: of an image, a row for each pixel.
/// Only for contiguous views.
inline kernels::MatrixView byLastAxis(kernels::MatrixView rows, std::int64_t size)
{
    return {rows.data, rows.rows * (rows.cols / size), size, size};
}
inline kernels::ConstMatrixView byLastAxis(kernels::ConstMatrixView rows, std::int64_t size)
{
    return {rows.data, rows.rows * (rows.cols / size), size, size};
}

/// The gradient of some rows of a variable (of all of them except in a first dense layer, which has
/// a segment for each run of its input).
struct GradientSegment
{
    std::int64_t firstRow = 0;
    std::int64_t rowCount = 0;
    bool sparse = false;
    kernels::MatrixView dense;    ///< memory of the plan, assigned before the first step
    kernels::SparseGradient rows; ///< numbered from firstRow on
    /// A table whose gradient TensorFlow keeps as one slice for each lookup (tf.IndexedSlices),
    /// also of equal rows, and clips like that. `sliceSquares` is then the sum of the slices'
    /// squares: set with `rows`, which are the sums of slices.
    bool isSliced = false;
    float sliceSquares = 0;
    kernels::DeviceSparse placed; ///< the same on an accelerator: set by Layer::placeBackward()
};

/// A variable as seen by a layer. A vector is a matrix with one row.
struct VariableBuffer
{
    kernels::MatrixView values;
    /// Where the layer writes its gradient; null if the variable is not trained.
    std::vector<GradientSegment>* gradient = nullptr;
    /// The optimizer leaves rows with a zero gradient exactly unchanged (Adagrad, plain SGD), so
    /// the gradient of a dense variable may contain only the rows that occur.
    bool untouchedRowsStay = false;
    /// The optimizer clips gradients, and no penalty makes this one dense: see
    /// GradientSegment::isSliced. `clipvalue`: what it clips elements of slices to.
    bool clipsSlices = false;
    std::optional<float> clipvalue;
};

/// The buffers of a layer; they stay in place until the plan prepares again.
struct LayerBuffers
{
    std::vector<const ValueBuffer*> inputs;
    ValueBuffer* output = nullptr;
    std::vector<VariableBuffer> variables;
    std::int64_t maxRows = 0;
    std::uint32_t layerIndex = 0; ///< distinguishes several dropouts of one model
};

/// Per-thread resources for work that is split above the kernels: a pool of one thread for those,
/// and working memory.
struct Worker
{
    kernels::ThreadPool pool{1};
    kernels::SparseScratch scratch;
};

/// Parts of a batch that pass through the layers at the same time, at most.
inline constexpr std::size_t kMostRowParts = 16;

/// Parameters of one step.
struct StepContext
{
    kernels::ThreadPool& pool;
    std::span<Worker> workers; ///< as many as the pool has threads
    Mode mode = Mode::Train;
    std::int64_t rows = 0; ///< that pass: of the batch, or of a part of it
    std::uint64_t seed = 0;
    std::uint64_t step = 0;
    std::uint64_t firstRow = 0; ///< index of row 0 among the rows of all shards of the step
    /// Training: rows of the batch, times the shards of the step, which count alike: what a mean
    /// over the rows of the whole step divides the numbers of this batch by.
    std::int64_t stepRows = 0;
    bool isAcross = false;     ///< layers that can look across shards do: see AcrossShards
    std::int64_t rowBegin = 0; ///< of the part in the batch: see Layer::runsByRows
    std::size_t part = 0;      ///< its number, below kMostRowParts

    kernels::SparseScratch& scratch() const { return workers.front().scratch; }
    /// The rows that pass.
    kernels::BlockRange range() const { return {rowBegin, rows}; }
    /// For work inside a block of the pool: on that worker's thread alone.
    StepContext on(int worker) const
    {
        Worker& own = workers[static_cast<std::size_t>(worker)];
        return {.pool = own.pool,
                .workers = std::span<Worker>(&own, 1),
                .mode = mode,
                .rows = rows,
                .seed = seed,
                .step = step,
                .firstRow = firstRow,
                .stepRows = stepRows,
                .isAcross = isAcross,
                .rowBegin = rowBegin,
                .part = part};
    }
};

/// Rows [first, first + count) of a batch's ids.
inline kernels::IdsView rowsOf(const kernels::IdsView& ids, kernels::BlockRange rows)
{
    return {.rowOffsets = ids.rowOffsets.subspan(static_cast<std::size_t>(rows.first),
                                                 static_cast<std::size_t>(rows.count) + 1),
            .ids = ids.ids,
            .weights = ids.weights};
}

inline bool ColumnRun::isIndicator() const
{
    return source->kind == graph::ValueKind::Indicator;
}

} // namespace cannery::layers
