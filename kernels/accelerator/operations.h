// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/center_operations.h"
#include "kernels/accelerator/device_views.h"
#include "kernels/accelerator/group_operations.h"
#include "kernels/accelerator/histogram_operations.h"
#include "kernels/accelerator/sequence_operations.h"
#include "kernels/device/tensor_view.h"
#include "kernels/math/activations.h"
#include "kernels/math/losses.h"
#include "kernels/ops/sparse_combine.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>

/// What an accelerator computes: operations over its own memory, in an order that the plan fixes.
/// They are those of kernels/ops, whose headers have their formulas; all addresses are addresses on
/// the device. Every operation gives the same bits each time: only integers are summed in an order
/// of chance.
namespace cannery::kernels {

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
    float* weights = nullptr; ///< null if the table has no weights
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

/// With `partial` also what MergeMoments takes: partialMomentsSize() numbers, see
/// kernels/math/moments.h. src may then have no rows, which makes mean and variance NaN.
struct BatchMoments
{
    ConstMatrixView src;
    float* mean = nullptr;
    float* variance = nullptr;
    double* partial = nullptr;
};

/// The moments of the rows of all parts, as one binary tree (see SumParts).
struct MergeMoments
{
    const double* parts = nullptr; ///< [partCount, partialMomentsSize(cols)]
    std::int64_t partCount = 0;
    std::int64_t cols = 0;
    float* mean = nullptr;
    float* variance = nullptr;
    double* rows = nullptr; ///< how many they are
};

struct BatchNormalize
{
    DeviceBatchNorm parameters;
    ConstMatrixView src;
    MatrixView dst;
};

/// With `partial` also what MergeBatchNormGradients takes: of each column sum(dy * (x - mean)),
/// then of each column sum(dy).
struct BatchNormParameterGradients
{
    DeviceBatchNorm parameters;
    ConstMatrixView src;
    ConstMatrixView dstGrad;
    float* gammaGrad = nullptr;
    float* betaGrad = nullptr;
    double* partial = nullptr;
};

/// Those of all parts, which are added up as one binary tree (see SumParts).
struct MergeBatchNormGradients
{
    DeviceBatchNorm parameters;
    const double* parts = nullptr; ///< [partCount, 2, cols]
    std::int64_t partCount = 0;
    std::int64_t cols = 0;
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
    const double* momentRows = nullptr; ///< that moments and gradients are of; src.rows if null
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
    ConstMatrixView weights; ///< all 1 if its data is null
    float gradientScale = 1.0F;
    MatrixView losses;
    MatrixView logitsGrad; ///< its data is null if it is not computed
    float labelOffset = 0.0F;
    float labelScale = 1.0F;
    StepData meanOf; ///< int64: gradients are divided by this, unless it is 0; by 1 if its cursor
                     ///< is null
};

/// *sum = scale * (sum of losses * weights), summed in double; weights [rows, 1] or the shape of
/// losses, all 1 if its data is null. With `addTo`, *sum += instead.
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

/// dst[*cursor of `step`] = src, row by row without gaps: the values of a launch, one batch per
/// step.
struct KeepValues
{
    ConstMatrixView src;
    StepData step;
    float* dst = nullptr;
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
    float* first = nullptr; ///< slots; null if unused
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

/// averages -= (averages - weights) rate.
struct AverageWeights
{
    ConstMatrixView weights;
    float* averages = nullptr;
    float rate = 0.0F;
};

using Operation =
    std::variant<AdvanceStep, GatherRows, GatherIds, FillValues, CopyValues, Product, Activate,
                 ActivateBackward, SumRows, Lookup, LookupGradient, LookupDenseGradient, AddSparse,
                 ScatterAdd, Dropout, BatchMoments, MergeMoments, BatchNormalize,
                 BatchNormParameterGradients, MergeBatchNormGradients, BatchNormSrcGradient,
                 UpdateMoving, LossOf, SumLosses, MeanOfColumns, KeepLoss, KeepValues, ClipByValue,
                 SumOfSquares, ScaleByNorm, DenseUpdate, SparseUpdate, AverageWeights, PlaceSteps,
                 GatherSteps, GatherStepIds, CountIds, RepeatSteps, SumSteps, RecurrentForward,
                 RecurrentBackward, ExchangeParts, GatherParts, GatherSparse, SumParts,
                 DivideByLength, CenterDistances, NearestCenters, SumByCenter, MoveCenters,
                 BeginIteration, SumGradients>;

/// Whether it meets those of other members of a group.
bool meetsOthers(const Operation& operation);

/// Working memory of a lookup's gradient, in bytes: enough for any device.
std::int64_t lookupScratchBytes(std::int64_t capacity);

} // namespace cannery::kernels
