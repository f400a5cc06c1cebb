// SPDX-License-Identifier: Apache-2.0
#include "kernels/accelerator/used_memory.h"

#include "kernels/accelerator/bodies/element.h"
#include "kernels/accelerator/uses.h"
#include "kernels/math/moments.h"
#include "kernels/ops/optimizer_step.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>
#include <variant>

namespace cannery::kernels {

namespace {

void use(Uses& uses, const AdvanceStep& x)
{
    uses.write(x.cursor, 1);
}

void use(Uses& uses, const GatherRows& x)
{
    uses.read(x.table);
    uses.read(x.index, x.dst.rows * std::int64_t{sizeof(std::int64_t)});
    uses.write(x.dst);
}

void use(Uses& uses, const GatherIds& x)
{
    uses.read(x.table);
    uses.read(x.index, x.rows * std::int64_t{sizeof(std::int64_t)});
    uses.write(x.rowOffsets, x.rows + 1);
    uses.write(x.ids, x.capacity);
    uses.write(x.weights, x.capacity);
}

void use(Uses& uses, const FillValues& x)
{
    uses.write(x.dst);
}

void use(Uses& uses, const CopyValues& x)
{
    uses.read(x.src);
    uses.write(x.dst);
}

void use(Uses& uses, const Product& x)
{
    uses.read(x.a);
    uses.read(x.b);
    uses.read(x.bias, x.dst.cols);
    uses.write(x.dst);
}

void use(Uses& uses, const Activate& x)
{
    uses.read(x.src);
    uses.read(x.bias, x.dst.cols);
    uses.write(x.dst);
}

void use(Uses& uses, const ActivateBackward& x)
{
    // Which of the two a formula reads; the other may be overwritten meanwhile.
    uses.read(needsInput(x.activation) ? x.src : x.dst);
    uses.read(x.dstGrad);
    uses.write(x.srcGrad);
    uses.write(x.biasGrad, x.srcGrad.cols);
}

void use(Uses& uses, const SumRows& x)
{
    uses.read(x.dstGrad);
    uses.write(x.biasGrad, x.dstGrad.cols);
}

void use(Uses& uses, const Lookup& x)
{
    uses.read(x.ids);
    uses.read(x.table);
    uses.write(x.dst);
}

/// Of a gradient of some rows or of the whole table.
template <typename Gradient>
void useForGradient(Uses& uses, const Gradient& x)
{
    uses.read(x.ids);
    // The table's rows decide how clipped gradients shrink.
    if (x.options.maxNorm) {
        uses.read(x.table);
    }
    uses.read(x.dstGrad);
    uses.write(x.scratch, lookupScratchBytes(x.ids.capacity));
}

void use(Uses& uses, const LookupGradient& x)
{
    useForGradient(uses, x);
    uses.write(x.gradient);
}

void use(Uses& uses, const LookupDenseGradient& x)
{
    useForGradient(uses, x);
    uses.write(x.tableGrad);
}

void use(Uses& uses, const AddSparse& x)
{
    uses.read(x.a);
    uses.read(x.b);
    uses.write(x.sum);
}

void use(Uses& uses, const ScatterAdd& x)
{
    uses.read(x.gradient);
    uses.write(x.dense);
}

void use(Uses& uses, const Dropout& x)
{
    uses.read(x.step, sizeof(DropoutStep));
    uses.read(x.src);
    uses.write(x.dst);
}

void use(Uses& uses, const BatchMoments& x)
{
    uses.read(x.src);
    uses.write(x.mean, x.src.cols);
    uses.write(x.variance, x.src.cols);
    uses.write(x.partial, partialMomentsSize(x.src.cols));
}

void use(Uses& uses, const MergeMoments& x)
{
    uses.read(x.parts, x.partCount * partialMomentsSize(x.cols));
    uses.write(x.mean, x.cols);
    uses.write(x.variance, x.cols);
    uses.write(x.rows, 1);
}

void use(Uses& uses, const BatchNormalize& x)
{
    uses.read(x.parameters, x.dst.cols);
    uses.read(x.src);
    uses.write(x.dst);
}

void use(Uses& uses, const BatchNormParameterGradients& x)
{
    uses.read(x.parameters, x.src.cols);
    uses.read(x.src);
    uses.read(x.dstGrad);
    uses.write(x.gammaGrad, x.src.cols);
    uses.write(x.betaGrad, x.src.cols);
    uses.write(x.partial, 2 * x.src.cols);
}

void use(Uses& uses, const MergeBatchNormGradients& x)
{
    uses.read(x.parameters, x.cols);
    uses.read(x.parts, x.partCount * 2 * x.cols);
    uses.write(x.gammaGrad, x.cols);
    uses.write(x.betaGrad, x.cols);
}

void use(Uses& uses, const BatchNormSrcGradient& x)
{
    uses.read(x.parameters, x.src.cols);
    uses.read(x.src);
    uses.read(x.dstGrad);
    uses.read(x.gammaGrad, x.src.cols);
    uses.read(x.betaGrad, x.src.cols);
    uses.read(x.momentRows, 1);
    uses.write(x.srcGrad);
}

void use(Uses& uses, const UpdateMoving& x)
{
    uses.read(x.batch, x.size);
    uses.write(x.moving, x.size);
}

void use(Uses& uses, const LossOf& x)
{
    uses.read(x.logits);
    uses.read(x.labels);
    uses.read(x.weights);
    uses.write(x.losses);
    uses.write(x.logitsGrad);
    uses.readIfThere(x.meanOf, sizeof(std::int64_t));
}

void use(Uses& uses, const SumLosses& x)
{
    uses.read(x.losses);
    uses.read(x.weights);
    uses.write(x.sum, 1);
    uses.readIfThere(x.meanOf, sizeof(std::int64_t));
}

void use(Uses& uses, const MeanOfColumns& x)
{
    uses.read(x.src);
    uses.write(x.dst);
}

void use(Uses& uses, const KeepLoss& x)
{
    uses.read(x.src, 1);
    uses.read(x.step, 0);
    uses.write(x.dst + uses.stepOf(x.step), 1);
}

void use(Uses& uses, const KeepValues& x)
{
    uses.read(x.src);
    uses.read(x.step, 0);
    const std::int64_t count = x.src.rows * x.src.cols;
    uses.write(x.dst + uses.stepOf(x.step) * count, count);
}

void use(Uses& uses, const ClipByValue& x)
{
    uses.write(x.gradient);
}

void use(Uses& uses, const SumOfSquares& x)
{
    uses.read(x.gradient);
    uses.write(x.sum, 1);
}

void use(Uses& uses, const ScaleByNorm& x)
{
    uses.write(x.gradient);
    uses.read(x.sumOfSquares, 1);
}

/// Weights, slots and the rule's numbers.
template <typename Update>
void useWeights(Uses& uses, const Update& x)
{
    constexpr auto kSizes = []<std::size_t... rule>(std::index_sequence<rule...>)
    {
        return std::array{sizeof(std::variant_alternative_t<rule, OptimizerUpdate>)...};
    }
    (std::make_index_sequence<std::variant_size_v<OptimizerUpdate>>());
    uses.read(x.update, static_cast<std::int64_t>(kSizes[x.rule]));
    const std::int64_t count = x.weights.rows * x.weights.cols;
    uses.write(x.weights);
    uses.write(x.first, count);
    uses.write(x.second, count);
    uses.write(x.third, count);
}

void use(Uses& uses, const DenseUpdate& x)
{
    useWeights(uses, x);
    uses.read(x.grad);
}

void use(Uses& uses, const SparseUpdate& x)
{
    useWeights(uses, x);
    uses.read(x.grad);
}

void use(Uses& uses, const AverageWeights& x)
{
    uses.read(x.weights);
    uses.write(x.averages, x.weights.rows * x.weights.cols);
}

void use(Uses& uses, const PlaceSteps& x)
{
    uses.read(x.rowOffsets, x.tableRows + 1);
    uses.readIfThere(x.index, x.rows * std::int64_t{sizeof(std::int64_t)});
    uses.write(x.places, x.rows * x.most);
    uses.write(x.lengths, x.rows);
}

void use(Uses& uses, const GatherSteps& x)
{
    uses.read(x.table);
    uses.read(x.places, x.dst.rows);
    uses.write(x.dst);
}

void use(Uses& uses, const GatherStepIds& x)
{
    uses.read(x.table.ids, x.table.capacity);
    uses.read(x.table.weights, x.table.capacity);
    uses.read(x.places, x.rows);
    uses.write(x.rowOffsets, x.rows + 1);
    uses.write(x.ids, x.rows);
    uses.write(x.weights, x.rows);
}

void use(Uses& uses, const CountIds& x)
{
    uses.read(x.ids);
    uses.write(x.dst);
}

void use(Uses& uses, const RepeatSteps& x)
{
    uses.read(x.steps.lengths, x.steps.rows);
    uses.read(x.src);
    uses.write(x.dst);
}

void use(Uses& uses, const SumSteps& x)
{
    uses.read(x.steps.lengths, x.steps.rows);
    uses.read(x.src);
    uses.write(x.dst);
}

/// What both passes of a cell read.
template <typename Pass>
void useOfCell(Uses& uses, const Pass& x)
{
    uses.read(x.steps.lengths, x.steps.rows);
    // Written by the forward pass as activated gates, by the backward pass as their gradients.
    uses.write(x.step.gates);
    uses.read(x.step.previousOutput);
    uses.read(x.step.previousState);
}

void use(Uses& uses, const RecurrentForward& x)
{
    useOfCell(uses, x);
    uses.read(ConstMatrixView(x.step.recurrent));
    uses.write(x.step.output);
    uses.write(x.step.state);
}

void use(Uses& uses, const RecurrentBackward& x)
{
    useOfCell(uses, x);
    uses.write(x.step.recurrent);
    uses.read(ConstMatrixView(x.step.state));
    uses.write(x.grad.output);
    uses.write(x.grad.state);
    uses.read(x.stepGrad);
}

void use(Uses& uses, const ExchangeParts& x)
{
    const bodies::Part own = bodies::partOf(x.count, x.group.rank, x.group.size);
    uses.read(x.values, x.count);
    uses.write(x.received, x.group.size * (own.end - own.begin));
}

void use(Uses& uses, const GatherParts& x)
{
    uses.write(x.values, x.count);
}

void use(Uses& uses, const GatherSparse& x)
{
    uses.read(x.own);
    uses.write(x.rows, x.group.size * x.own.capacity);
    uses.write(x.values, x.group.size * x.own.capacity * x.own.cols);
    uses.write(x.counts, x.group.size);
}

void use(Uses& uses, const SumParts& x)
{
    uses.read(x.parts, x.partCount * x.count);
    uses.write(x.sum, x.count);
}

void use(Uses& uses, const DivideByLength& x)
{
    uses.read(x.src);
    uses.write(x.dst);
}

/// Of distances.
template <typename Distances>
void useCenters(Uses& uses, const Distances& x)
{
    uses.read(x.points);
    uses.read(x.centers);
    uses.write(x.squares, x.points.rows + x.centers.rows);
}

void use(Uses& uses, const CenterDistances& x)
{
    useCenters(uses, x);
    uses.write(x.dst);
}

void use(Uses& uses, const NearestCenters& x)
{
    useCenters(uses, x);
    uses.write(x.index, x.points.rows);
    uses.write(x.least, x.points.rows);
}

void use(Uses& uses, const SumByCenter& x)
{
    uses.read(x.points);
    uses.read(x.index, x.points.rows);
    uses.write(x.sums, x.centers * x.points.cols);
    uses.write(x.rowsOf, x.centers);
    uses.write(x.scratch, centerScratchBytes(x.points.rows, x.centers));
}

void use(Uses& uses, const MoveCenters& x)
{
    uses.read(x.sums, x.centers.rows * x.centers.cols);
    uses.read(x.rowsOf, x.centers.rows);
    uses.write(x.centers);
    uses.write(x.counts, x.centers.rows);
}

void use(Uses& uses, const BeginIteration& x)
{
    uses.read(x.begins, sizeof(std::int64_t));
    uses.read(x.updated);
    uses.write(x.centers);
    uses.write(x.counts, x.centers.rows);
}

void use(Uses& uses, const SumGradients& x)
{
    uses.read(x.table.bins, x.table.bytes());
    uses.read(x.table.ranges, x.table.columns);
    uses.read(x.gradients, x.table.rows);
    uses.read(x.rows, x.table.rows);
    uses.read(x.rowCount, 1);
    uses.write(x.sums, kSumsOfBin * x.table.binCount);
}

bool overlap(const UsedMemory& a, const UsedMemory& b)
{
    // Pointers into different allocations are ordered by std::less only.
    const std::less<> isBefore;
    if (!isBefore(a.begin, b.begin + b.bytes) || !isBefore(b.begin, a.begin + a.bytes)) {
        return false;
    }
    const UsedMemory& first = isBefore(b.begin, a.begin) ? b : a;
    const UsedMemory& second = isBefore(b.begin, a.begin) ? a : b;
    // Rows of different length interleave irregularly; they count as overlapping.
    if (first.strideBytes != second.strideBytes) {
        return true;
    }
    // Two views of one matrix: rows interleave, so only columns that both have are shared.
    const std::int64_t column = (second.begin - first.begin) % first.strideBytes;
    return column < first.rowBytes || column + second.rowBytes > first.strideBytes;
}

} // namespace

std::vector<UsedMemory> usedMemory(const Operation& operation, StepBlock block)
{
    Uses uses(block);
    std::visit([&](const auto& work) { use(uses, work); }, operation);
    return std::move(uses.found);
}

bool conflict(const std::vector<UsedMemory>& some, const std::vector<UsedMemory>& others)
{
    return std::ranges::any_of(some, [&](const UsedMemory& a) {
        return std::ranges::any_of(
            others, [&](const UsedMemory& b) { return (a.written || b.written) && overlap(a, b); });
    });
}

} // namespace cannery::kernels
