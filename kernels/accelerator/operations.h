// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/tensor_view.h"
#include "kernels/math/activations.h"
#include "kernels/math/losses.h"
#include "kernels/ops/recurrent_cell.h"
#include "kernels/ops/sparse_combine.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <variant>

/// What an accelerator computes: operations over its own memory, in an order that the plan fixes.
/// They are those of kernels/ops, whose headers have their formulas; all addresses are addresses on
/// the device. Every operation gives the same bits each time: nothing is summed in an order of
/// chance.
namespace cannery::kernels {

/// Numbers that change from step to step (the step's number, learning rates, row numbers): one
/// block for each step of a launch, so that a captured step reads new ones without the host. An
/// operation reads at `blocks + *cursor * blockBytes + offset`.
struct StepData
{
    const std::byte* blocks = nullptr;
    std::int64_t blockBytes = 0;
    const std::int64_t* cursor = nullptr;
    std::int64_t offset = 0;
};

/// Ids on the device: row r has the entries [rowOffsets[r], rowOffsets[r + 1]), at most `capacity`
/// in all rows. See IdsView.
struct DeviceIds
{
    const std::int64_t* rowOffsets = nullptr;
    const std::int32_t* ids = nullptr;
    const float* weights = nullptr; ///< null: all 1
    std::int64_t rows = 0;
    std::int64_t capacity = 0;
    StepData rowsInUse; ///< int64: the batch has no rows after so many; cursor null: it has all
};

/// The sequences of a batch by time: step t of row r is row t * rows + r of a matrix, for all
/// t < most. Most rows have fewer steps; what comes after them is masked.
struct DeviceSteps
{
    const std::int64_t* lengths = nullptr; ///< steps of each row
    std::int64_t rows = 0;
    std::int64_t most = 0;

    std::int64_t count() const { return rows * most; }
};

/// The gradient of some rows of a table, each once, ascending: `*count` of them, at most
/// `capacity`. See SparseGradient, whose rows are in order of first occurrence.
struct DeviceSparse
{
    std::int32_t* rows = nullptr;
    float* values = nullptr; ///< [capacity, cols]
    std::int64_t* count = nullptr;
    std::int64_t capacity = 0;
    std::int64_t cols = 0;
    std::int64_t tableRows = 0;
};

/// What products round their factors to; sums are always float32.
enum class ProductPrecision : std::uint8_t
{
    Float32,
    TensorFloat32,
    BFloat16,
};

enum class ProductKind : std::uint8_t
{
    Forward,         ///< dst[rows, cols] = a[rows, depth] b[depth, cols]
    SrcGradient,     ///< dst[rows, depth] = a[rows, cols] transposed(b[depth, cols])
    WeightsGradient, ///< dst[depth, cols] = transposed(a[rows, depth]) b[rows, cols]
};

/// *cursor = (*cursor + 1) % count: the next step.
struct AdvanceStep
{
    std::int64_t* cursor = nullptr;
    std::int64_t count = 1;
};

/// dst row r = table row index[r]; `index` has dst.rows numbers of int64. dst may have fewer
/// columns than the table.
struct GatherRows
{
    ConstMatrixView table;
    StepData index;
    MatrixView dst;
};

/// The entries of table rows index[0] … index[rows - 1], back to back.
struct GatherIds
{
    DeviceIds table;
    StepData index;
    std::int64_t rows = 0;
    std::int64_t* rowOffsets = nullptr; ///< rows + 1
    std::int32_t* ids = nullptr;
    float* weights = nullptr; ///< null if the table has none
    std::int64_t capacity = 0;
};

struct FillValues
{
    MatrixView dst;
    float value = 0.0F;
};

/// dst = src, or dst += src.
struct CopyValues
{
    ConstMatrixView src;
    MatrixView dst;
    bool accumulate = false;
};

/// dst = activation((accumulate ? dst : 0) + product + bias); see MatmulEpilogue. Only Forward has
/// bias and activation.
struct Product
{
    ProductKind kind = ProductKind::Forward;
    ConstMatrixView a;
    ConstMatrixView b;
    const float* bias = nullptr;
    Activation activation = Activation::Linear;
    bool accumulate = false;
    ProductPrecision precision = ProductPrecision::Float32;
    MatrixView dst;
};

/// dst = activation(src + bias); bias may be null, dst may be src.
struct Activate
{
    Activation activation = Activation::Linear;
    ConstMatrixView src;
    const float* bias = nullptr;
    MatrixView dst;
};

/// See ActivationGradient. With biasGrad also biasGrad[c] = sum over rows of srcGrad[r, c].
struct ActivateBackward
{
    Activation activation = Activation::Linear;
    ConstMatrixView src;
    ConstMatrixView dst;
    ConstMatrixView dstGrad;
    MatrixView srcGrad;
    float* biasGrad = nullptr;
};

/// biasGrad[c] = (accumulate ? biasGrad[c] : 0) + sum over rows of dstGrad[r, c].
struct SumRows
{
    ConstMatrixView dstGrad;
    float* biasGrad = nullptr;
    bool accumulate = false;
};

/// SparseCombineKernels::forward.
struct Lookup
{
    DeviceIds ids;
    ConstMatrixView table;
    SparseCombineOptions options;
    MatrixView dst;
};

/// SparseCombineKernels::sparseGradient. Sums of a table's row are in the order of the entries, or
/// in parts of a fixed order if it has many. The gradient has room for as many rows as there may
/// be. `withRowZero`: row 0 is there too (with zeros, if nothing else) when a row of the batch has
/// no valid id, see layers::Lookup::sparseGradient.
struct LookupGradient
{
    DeviceIds ids;
    ConstMatrixView table;
    SparseCombineOptions options;
    ConstMatrixView dstGrad;
    bool withRowZero = false;
    DeviceSparse gradient;
    std::byte* scratch = nullptr; ///< lookupScratchBytes(ids.capacity)
};

/// SparseCombineKernels::denseGradient.
struct LookupDenseGradient
{
    DeviceIds ids;
    ConstMatrixView table;
    SparseCombineOptions options;
    ConstMatrixView dstGrad;
    MatrixView tableGrad;
    std::byte* scratch = nullptr; ///< lookupScratchBytes(ids.capacity)
};

/// sum = a + b, of the same table: those of a row are added in this order.
struct AddSparse
{
    DeviceSparse a;
    DeviceSparse b;
    DeviceSparse sum;
};

/// dense[rows[i]] += values[i].
struct ScatterAdd
{
    DeviceSparse gradient;
    MatrixView dense;
};

/// See DropoutMask; `step` points to DropoutStep. dst may be src. With the same arguments also the
/// backward pass.
struct Dropout
{
    float rate = 0.5F;
    std::uint64_t seed = 0;
    std::uint32_t layer = 0;
    StepData step;
    ConstMatrixView src;
    MatrixView dst;
};

struct DropoutStep
{
    std::uint64_t step = 0;
    std::uint64_t firstRow = 0;
};

/// See BatchNormParameters.
struct DeviceBatchNorm
{
    const float* gamma = nullptr;
    const float* beta = nullptr;
    const float* mean = nullptr;
    const float* variance = nullptr;
    float epsilon = 0.001F;
};

struct BatchMoments
{
    ConstMatrixView src;
    float* mean = nullptr;
    float* variance = nullptr;
};

struct BatchNormalize
{
    DeviceBatchNorm parameters;
    ConstMatrixView src;
    MatrixView dst;
};

struct BatchNormParameterGradients
{
    DeviceBatchNorm parameters;
    ConstMatrixView src;
    ConstMatrixView dstGrad;
    float* gammaGrad = nullptr;
    float* betaGrad = nullptr;
};

struct BatchNormSrcGradient
{
    DeviceBatchNorm parameters;
    ConstMatrixView src;
    ConstMatrixView dstGrad;
    const float* gammaGrad = nullptr;
    const float* betaGrad = nullptr;
    MatrixView srcGrad;
};

/// updateMovingMoments() of batchScale * batch.
struct UpdateMoving
{
    float* moving = nullptr;
    const float* batch = nullptr;
    std::int64_t size = 0;
    float momentum = 0.99F;
    float batchScale = 1.0F;
};

/// See LossArguments. Of each label l, (l - labelOffset) / labelScale is taken.
struct LossOf
{
    Loss loss = Loss::SigmoidCrossEntropy;
    ConstMatrixView logits;
    ConstMatrixView labels;
    ConstMatrixView weights; ///< data null: all 1
    float gradientScale = 1.0F;
    MatrixView losses;
    MatrixView logitsGrad; ///< data null: not computed
    float labelOffset = 0.0F;
    float labelScale = 1.0F;
    StepData meanOf; ///< int64: gradients are divided by this, unless it is 0; cursor null: by 1
};

/// *sum = scale * (sum of losses * weights), summed in double; weights [rows, 1] or the shape of
/// losses, data null: all 1. With `addTo`, *sum += instead.
struct SumLosses
{
    ConstMatrixView losses;
    ConstMatrixView weights;
    double scale = 1.0;
    double* sum = nullptr;
    bool addTo = false;
    StepData meanOf; ///< the sum is divided by it, see LossOf
};

/// dst[r] = mean over the columns of src row r.
struct MeanOfColumns
{
    ConstMatrixView src;
    MatrixView dst;
};

/// dst[*cursor of `step`] = *src: the losses of a launch, one per step.
struct KeepLoss
{
    const double* src = nullptr;
    StepData step;
    double* dst = nullptr;
};

/// Gradients of one variable: dense, or if `sparse.rows` is not null its values.
struct GradientValues
{
    MatrixView dense;
    DeviceSparse sparse;
};

/// value = min(max(value, -limit), limit); NaN is preserved.
struct ClipByValue
{
    GradientValues gradient;
    float limit = 0.0F;
};

/// *sum = (addTo ? *sum : 0) + sum of squares, in double.
struct SumOfSquares
{
    GradientValues gradient;
    double* sum = nullptr;
    bool addTo = false;
};

/// value *= globalNormScale(*sumOfSquares, limit), or with `ofVariable` as clipByNorm() does:
/// value = value * limit / max(norm, limit).
struct ScaleByNorm
{
    GradientValues gradient;
    const double* sumOfSquares = nullptr;
    float limit = 0.0F;
    bool ofVariable = false;
};

/// OptimizerStepKernels::dense; `update` points to the rule's struct, the alternative `rule` of
/// OptimizerUpdate.
struct DenseUpdate
{
    std::size_t rule = 0;
    StepData update;
    MatrixView weights;
    float* first = nullptr; ///< slots; null: unused
    float* second = nullptr;
    float* third = nullptr;
    ConstMatrixView grad;
};

/// OptimizerStepKernels::sparse.
struct SparseUpdate
{
    std::size_t rule = 0;
    StepData update;
    MatrixView weights;
    float* first = nullptr;
    float* second = nullptr;
    float* third = nullptr;
    DeviceSparse grad;
};

/// Which member of a group of devices this is (see Accelerator::join()). Operations that have one
/// meet those of the other members: all members queue the same ones in the same order, with the
/// same sizes. They move numbers and add nothing up, so that no bit depends on how they do it.
struct GroupRank
{
    std::int64_t rank = 0;
    std::int64_t size = 1;
};

/// The i-th of `count` values belongs to one of `size` parts, of which member r has the r-th (see
/// bodies::partOf). received[m] = what member m has in the part of this one: [size, its length].
struct ExchangeParts
{
    GroupRank group;
    const float* values = nullptr;
    std::int64_t count = 0;
    float* received = nullptr;
};

/// Every part becomes that of the member that it belongs to.
struct GatherParts
{
    GroupRank group;
    float* values = nullptr;
    std::int64_t count = 0;
};

/// all[m] = the gradient of member m. All of them have the same capacity.
struct GatherSparse
{
    GroupRank group;
    DeviceSparse own;
    std::int32_t* rows = nullptr;   ///< [size, capacity]
    float* values = nullptr;        ///< [size, capacity, cols]
    std::int64_t* counts = nullptr; ///< [size]
};

/// sum[i] = the sum of parts[p, i], as one binary tree whose left part is the largest power of two
/// below the number of its parts; `parts`: [partCount, count].
struct SumParts
{
    const float* parts = nullptr;
    std::int64_t partCount = 0;
    std::int64_t count = 0;
    float* sum = nullptr;
};

/// averages -= (averages - weights) rate.
struct AverageWeights
{
    ConstMatrixView weights;
    float* averages = nullptr;
    float rate = 0.0F;
};

/// Where the steps of a batch are among those of all rows: places[t * rows + r] is that of step t
/// of row r, -1 if it has none. Row r is row index[r] of the table.
struct PlaceSteps
{
    const std::int64_t* rowOffsets = nullptr; ///< of the table, see DeviceIds
    std::int64_t tableRows = 0;
    StepData index; ///< cursor null: row r is row r of the table
    std::int64_t rows = 0;
    std::int64_t most = 0; ///< see DeviceSteps
    std::int64_t* places = nullptr;
    std::int64_t* lengths = nullptr;
};

/// dst row i = table row places[i], zeros if that is -1.
struct GatherSteps
{
    ConstMatrixView table;
    const std::int64_t* places = nullptr;
    MatrixView dst;
};

/// Row i has one id: that at places[i] of the table, or -1.
struct GatherStepIds
{
    DeviceIds table;
    const std::int64_t* places = nullptr;
    std::int64_t rows = 0;
    std::int64_t* rowOffsets = nullptr; ///< rows + 1
    std::int32_t* ids = nullptr;
    float* weights = nullptr; ///< null if the table has none
};

/// dst[r, c] = sum of the weights of the ids c of row r: an indicator.
struct CountIds
{
    DeviceIds ids;
    MatrixView dst;
};

/// Every step of row r = src row r; zeros where it is masked.
struct RepeatSteps
{
    DeviceSteps steps;
    ConstMatrixView src;
    MatrixView dst; ///< [steps.count(), src.cols]
};

/// dst row r = sum over the steps of row r, in order.
struct SumSteps
{
    DeviceSteps steps;
    ConstMatrixView src; ///< [steps.count(), dst.cols]
    MatrixView dst;
};

/// RecurrentKernels::forward for step `time` of all rows; masked rows keep the previous output (of
/// every cell) and state.
struct RecurrentForward
{
    RecurrentCell cell = RecurrentCell::Simple;
    DeviceSteps steps;
    std::int64_t time = 0;
    RecurrentStep step;
};

/// RecurrentKernels::backward for step `time` of all rows. What it leaves in the gradient of the
/// output is that of the previous output, to which the product with the recurrent kernel is added:
/// 0 but for a Gru. Masked rows keep their gradients, those of their sums are 0.
struct RecurrentBackward
{
    RecurrentCell cell = RecurrentCell::Simple;
    DeviceSteps steps;
    std::int64_t time = 0;
    RecurrentStep step;
    RecurrentGradient grad;
    ConstMatrixView stepGrad; ///< is added to the gradient of the output first; data null: none
};

using Operation =
    std::variant<AdvanceStep, GatherRows, GatherIds, FillValues, CopyValues, Product, Activate,
                 ActivateBackward, SumRows, Lookup, LookupGradient, LookupDenseGradient, AddSparse,
                 ScatterAdd, Dropout, BatchMoments, BatchNormalize, BatchNormParameterGradients,
                 BatchNormSrcGradient, UpdateMoving, LossOf, SumLosses, MeanOfColumns, KeepLoss,
                 ClipByValue, SumOfSquares, ScaleByNorm, DenseUpdate, SparseUpdate, AverageWeights,
                 PlaceSteps, GatherSteps, GatherStepIds, CountIds, RepeatSteps, SumSteps,
                 RecurrentForward, RecurrentBackward, ExchangeParts, GatherParts, GatherSparse,
                 SumParts>;

/// Whether operations of this kind meet those of other members of a group.
template <typename Work>
inline constexpr bool kMeetsOthers =
    std::is_same_v<Work, ExchangeParts> || std::is_same_v<Work, GatherParts> ||
    std::is_same_v<Work, GatherSparse>;

/// Working memory of a lookup's gradient, in bytes: enough for any device.
std::int64_t lookupScratchBytes(std::int64_t capacity);

} // namespace cannery::kernels
