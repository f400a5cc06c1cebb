// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/convolution.h"

#include "kernels/cpu/activate.h"
#include "kernels/cpu/finite.h"
#include "kernels/cpu/gemm_tile.h"
#include "kernels/cpu/partial_sums.h"
#include "kernels/cpu/picture_columns.h"
#include "kernels/cpu/tap_products.h"
#include "kernels/device/instructions.h"
#include "kernels/ops/matmul.h"

#include <algorithm>

namespace cannery::kernels::cpu {

namespace {

/// A part of the matrix of picture_columns.h, beside what a product needs.
constexpr std::int64_t kPanelFloats = ThreadPool::kScratchFloats - kGemmScratch;
/// Positions of a part: fewer would pack the kernel too often.
constexpr std::int64_t kFewestPositions = kPanelFloats / kDepthChunk;
/// Rows of a block of the kernel's gradient, and channels of one of the picture's.
constexpr std::int64_t kBlockDepth = 128;

static_assert(kFewestPositions >= kBlockDepth);

std::int64_t pieces(std::int64_t whole, std::int64_t piece)
{
    return (whole + piece - 1) / piece;
}

/// Piece `index` of `count` nearly equal ones.
BlockRange pieceOf(std::int64_t whole, std::int64_t count, std::int64_t index)
{
    const std::int64_t first = whole * index / count;
    return {first, whole * (index + 1) / count - first};
}

class Plan : public ConvolutionPlan
{
public:
    explicit Plan(const ConvolutionProblem& shapes)
        : ConvolutionPlan(shapes), depthBlocks(pieces(problem.depth(), kBlockDepth)),
          partialSums(shapes.kernelFloats(),
                      shapes.trains ? shapes.groups * depthBlocks : PartialSums::kEnoughBlocks)
    {}

    /// A pixel of dst depends on one pixel of src: the pictures are the factors of a product.
    bool isProduct() const
    {
        const auto isPlain = [](const WindowAxis& axis) {
            return axis.window == 1 && axis.stride == 1 && !axis.isPadded();
        };
        return problem.groups == 1 && problem.inChannels > 0 && problem.filters > 0 &&
               isPlain(problem.height) && isPlain(problem.width);
    }

    const std::int64_t depthBlocks; ///< of the kernel's gradient, in each group
    PartialSums partialSums;
};

std::unique_ptr<ConvolutionPlan> plan(const ConvolutionProblem& problem)
{
    return std::make_unique<Plan>(problem);
}

/// Calls function(first image, images) for images whose pixels are all equally far apart.
template <typename Function>
void forEachRun(ConstMatrixView one, ConstMatrixView other, const Function& function)
{
    if (one.contiguous() && other.contiguous()) {
        function(0, one.rows);
        return;
    }
    for (std::int64_t image = 0; image < one.rows; ++image) {
        function(image, 1);
    }
}

/// The pixels of some images as the rows of a matrix.
template <typename View>
View pixelsOf(View pictures, std::int64_t firstImage, std::int64_t images, std::int64_t channels)
{
    return {pictures.at(firstImage), images * pictures.cols / channels, channels, channels};
}

/// One block of positions and filters of a forward pass.
struct ForwardBlock
{
    ColumnsPart part; ///< its columns are filled in by and by
    std::int64_t group = 0;
    BlockRange filters; ///< of all
    float* dst = nullptr;
};

void computeBlock(const GemmKernels& gemm, const ConvolutionProblem& problem, ConstMatrixView src,
                  std::span<const float> kernel, const ConvolutionEpilogue& epilogue,
                  const ForwardBlock& block, std::span<float> scratch)
{
    float* panel = scratch.data() + kGemmScratch;
    ColumnsPart part = block.part;
    GemmTile tile{.right = {kernel.data() + block.filters.first, 1, problem.filters},
                  .dst = block.dst,
                  .dstStride = problem.filters,
                  .rows = part.positions,
                  .cols = block.filters.count};
    do {
        part.cols = std::min(kDepthChunk, problem.depth() - part.firstCol);
        const bool last = part.firstCol + part.cols == problem.depth();
        if (part.cols > 0) {
            gatherColumns(problem, block.group, src, part, panel);
        }
        tile.left = {panel, part.cols, 1};
        tile.depth = part.cols;
        tile.accumulate = part.firstCol > 0;
        tile.relu = last && epilogue.activation == Activation::Relu;
        tile.bias =
            last && !epilogue.bias.empty() ? epilogue.bias.data() + block.filters.first : nullptr;
        multiplyTile(gemm, tile, scratch);
        tile.right.data += part.cols * problem.filters;
        part.firstCol += part.cols;
    } while (part.firstCol < problem.depth());
    // ReLU is part of the micro kernel; others follow while the block is in the cache.
    if (epilogue.activation != Activation::Linear && epilogue.activation != Activation::Relu) {
        activate(epilogue.activation, {tile.dst, tile.rows, tile.cols, tile.dstStride});
    }
}

/// Images whose positions are equally far apart in dst. An element has the same bits in any block
/// (gemm_kernels.h), so blocks may depend on the number of threads.
void forwardRun(const GemmKernels& gemm, const ConvolutionProblem& problem, ThreadPool& pool,
                ConstMatrixView src, std::span<const float> kernel,
                const ConvolutionEpilogue& epilogue, MatrixView dst)
{
    const std::int64_t positions = dst.rows * problem.dstPixels();
    const std::int64_t blockPositions = std::clamp(
        kPanelFloats / std::max<std::int64_t>(problem.depth(), 1), kFewestPositions, kMaxTileRows);
    const std::int64_t rowBlocks = pieces(positions, blockPositions);
    const std::int64_t groupFilters = problem.groupFilters();
    // Each block of filters gathers the positions once more: only if threads have nothing to do.
    const std::int64_t wanted = pool.threadCount() == 1 ? 1 : 2 * pool.threadCount();
    const std::int64_t colBlocks =
        std::clamp<std::int64_t>(pieces(wanted, std::max<std::int64_t>(rowBlocks, 1)), 1,
                                 pieces(groupFilters, 4 * gemm.panelCols));
    const auto runBlock = [&](std::int64_t index, int worker) {
        const std::int64_t group = index / rowBlocks / colBlocks;
        const BlockRange rows = pieceOf(positions, rowBlocks, index % rowBlocks);
        BlockRange filters = pieceOf(groupFilters, colBlocks, index / rowBlocks % colBlocks);
        filters.first += group * groupFilters;
        computeBlock(gemm, problem, src, kernel, epilogue,
                     {.part = {.firstPosition = rows.first, .positions = rows.count},
                      .group = group,
                      .filters = filters,
                      .dst = dst.data + rows.first * problem.filters + filters.first},
                     pool.scratch(worker));
    };
    pool.parallelFor(problem.groups * colBlocks * rowBlocks, runBlock);
}

template <const GemmKernels& Gemm, const MatmulKernels& Matmul>
void forward(ConvolutionPlan& planned, ThreadPool& pool, ConstMatrixView src,
             std::span<const float> kernel, const ConvolutionEpilogue& epilogue, MatrixView dst)
{
    const Plan& plan = static_cast<const Plan&>(planned);
    const ConvolutionProblem& problem = plan.problem;
    if (dst.rows == 0 || dst.cols == 0) {
        return;
    }
    // Zeros stand for the padding, and would meet NaN.
    if (problem.isPadded() && !areFinite(pool, kernel)) {
        forwardByTaps(Gemm, problem, pool, src, kernel, epilogue, dst);
        return;
    }
    forEachRun(src, dst, [&](std::int64_t first, std::int64_t images) {
        if (plan.isProduct()) {
            Matmul.forward(nullptr, pool, pixelsOf(src, first, images, problem.inChannels),
                           matrixView(kernel, problem.inChannels, problem.filters),
                           {epilogue.bias, epilogue.activation},
                           pixelsOf(dst, first, images, problem.filters));
            return;
        }
        forwardRun(Gemm, problem, pool, src.slice(first, images), kernel, epilogue,
                   dst.slice(first, images));
    });
}

/// The gradient of some channels of one group of one image.
struct SrcBlock
{
    std::int64_t image = 0;
    std::int64_t group = 0;
    BlockRange channels; ///< of the group
};

/// Adds what the columns [firstCol, firstCol + cols) of the kernel's rows contribute.
void addColumns(const GemmKernels& gemm, const ConvolutionProblem& problem, ConstMatrixView dstGrad,
                std::span<const float> kernel, const SrcBlock& block, BlockRange cols,
                std::span<float> scratch, MatrixView srcGrad)
{
    float* panel = scratch.data() + kGemmScratch;
    const std::int64_t positions = problem.dstPixels();
    const std::int64_t firstFilter = block.group * problem.groupFilters();
    const std::int64_t most = std::min(kMaxTileRows, kPanelFloats / cols.count);
    for (std::int64_t first = 0; first < positions; first += most) {
        const std::int64_t count = std::min(most, positions - first);
        multiplyTile(gemm,
                     {.left = {dstGrad.at(block.image) + first * problem.filters + firstFilter,
                               problem.filters, 1},
                      .right = {kernel.data() + cols.first * problem.filters + firstFilter,
                                problem.filters, 1},
                      .dst = panel,
                      .dstStride = cols.count,
                      .rows = count,
                      .cols = cols.count,
                      .depth = problem.groupFilters()},
                     scratch);
        scatterColumns(problem, block.group, panel, {first, count, cols.first, cols.count},
                       srcGrad.slice(block.image, 1));
    }
}

void computeSrcBlock(const GemmKernels& gemm, const ConvolutionProblem& problem,
                     ConstMatrixView dstGrad, std::span<const float> kernel, const SrcBlock& block,
                     std::span<float> scratch, MatrixView srcGrad)
{
    const std::int64_t groupChannels = problem.groupChannels();
    float* first = srcGrad.at(block.image) + block.group * groupChannels + block.channels.first;
    for (std::int64_t pixel = 0; pixel < problem.srcPixels(); ++pixel) {
        std::fill_n(first + pixel * problem.inChannels, block.channels.count, 0.0F);
    }
    const auto add = [&](BlockRange cols) {
        addColumns(gemm, problem, dstGrad, kernel, block, cols, scratch, srcGrad);
    };
    // The columns of all channels are contiguous, those of some only at one tap.
    if (block.channels.count == groupChannels) {
        for (std::int64_t col = 0; col < problem.depth(); col += kDepthChunk) {
            add({col, std::min(kDepthChunk, problem.depth() - col)});
        }
        return;
    }
    for (std::int64_t col = 0; col < problem.depth(); col += groupChannels) {
        add({col + block.channels.first, block.channels.count});
    }
}

/// A picture's gradient is summed by one thread, or some channels of it.
template <const GemmKernels& Gemm, const MatmulKernels& Matmul>
void srcGradient(ConvolutionPlan& planned, ThreadPool& pool, ConstMatrixView dstGrad,
                 std::span<const float> kernel, MatrixView srcGrad)
{
    const Plan& plan = static_cast<const Plan&>(planned);
    const ConvolutionProblem& problem = plan.problem;
    if (srcGrad.rows == 0 || srcGrad.cols == 0) {
        return;
    }
    if (plan.isProduct()) {
        forEachRun(dstGrad, srcGrad, [&](std::int64_t first, std::int64_t images) {
            Matmul.srcGradient(nullptr, pool, pixelsOf(dstGrad, first, images, problem.filters),
                               matrixView(kernel, problem.inChannels, problem.filters),
                               pixelsOf(srcGrad, first, images, problem.inChannels));
        });
        return;
    }
    const std::int64_t channelBlocks = pieces(problem.groupChannels(), kBlockDepth);
    const auto runBlock = [&](std::int64_t index, int worker) {
        computeSrcBlock(
            Gemm, problem, dstGrad, kernel,
            {.image = index / channelBlocks / problem.groups,
             .group = index / channelBlocks % problem.groups,
             .channels = pieceOf(problem.groupChannels(), channelBlocks, index % channelBlocks)},
            pool.scratch(worker), srcGrad);
    };
    pool.parallelFor(srcGrad.rows * problem.groups * channelBlocks, runBlock);
}

/// Rows of the kernel's gradient, summed over some images into `kernelGrad`.
void computeKernelBlock(const GemmKernels& gemm, const Plan& plan, ConstMatrixView src,
                        ConstMatrixView dstGrad, std::int64_t block, std::span<float> scratch,
                        float* kernelGrad)
{
    const ConvolutionProblem& problem = plan.problem;
    float* panel = scratch.data() + kGemmScratch;
    const std::int64_t group = block / plan.depthBlocks;
    const BlockRange rows = pieceOf(problem.depth(), plan.depthBlocks, block % plan.depthBlocks);
    const std::int64_t firstFilter = group * problem.groupFilters();
    GemmTile tile{.dst = kernelGrad + rows.first * problem.filters + firstFilter,
                  .dstStride = problem.filters,
                  .rows = rows.count,
                  .cols = problem.groupFilters()};
    // Without a position, the sum is 0.
    for (std::int64_t row = 0; row < rows.count; ++row) {
        std::fill_n(tile.dst + row * tile.dstStride, tile.cols, 0.0F);
    }
    tile.accumulate = true;
    forEachRun(dstGrad, dstGrad, [&](std::int64_t firstImage, std::int64_t images) {
        const std::int64_t positions = images * problem.dstPixels();
        for (std::int64_t first = 0; first < positions; first += kDepthChunk) {
            const std::int64_t count = std::min(kDepthChunk, positions - first);
            gatherColumns(problem, group, src.slice(firstImage, images),
                          {first, count, rows.first, rows.count}, panel);
            tile.left = {panel, 1, rows.count};
            tile.right = {dstGrad.at(firstImage) + first * problem.filters + firstFilter, 1,
                          problem.filters};
            tile.depth = count;
            multiplyTile(gemm, tile, scratch);
        }
    });
}

template <const GemmKernels& Gemm, const MatmulKernels& Matmul>
void kernelGradient(ConvolutionPlan& planned, ThreadPool& pool, ConstMatrixView src,
                    ConstMatrixView dstGrad, std::span<float> kernelGrad)
{
    Plan& plan = static_cast<Plan&>(planned);
    const ConvolutionProblem& problem = plan.problem;
    if (kernelGrad.empty()) {
        return;
    }
    if (plan.isProduct() && src.contiguous() && dstGrad.contiguous()) {
        Matmul.weightsGradient(
            nullptr, pool, pixelsOf(src, 0, src.rows, problem.inChannels),
            pixelsOf(dstGrad, 0, src.rows, problem.filters),
            {kernelGrad.data(), problem.inChannels, problem.filters, problem.filters});
        return;
    }
    // As in the forward pass: zeros of the padding would meet NaN.
    if (problem.isPadded() && !areFinite(pool, dstGrad)) {
        kernelGradientByTaps(Gemm, problem, pool, src, dstGrad, kernelGrad);
        return;
    }
    plan.partialSums.compute(pool, src.rows, problem.groups * plan.depthBlocks, kernelGrad,
                             [&](BlockRange images, std::int64_t block, float* sum, int worker) {
                                 computeKernelBlock(Gemm, plan,
                                                    src.slice(images.first, images.count),
                                                    dstGrad.slice(images.first, images.count),
                                                    block, pool.scratch(worker), sum);
                             });
}

template <const GemmKernels& Gemm, const MatmulKernels& Matmul>
constexpr ConvolutionKernels kRow = {forward<Gemm, Matmul>, srcGradient<Gemm, Matmul>,
                                     kernelGradient<Gemm, Matmul>, plan};

} // namespace

#if CANNERY_X86_64_V3
const ConvolutionKernels kConvolution = kRow<kGemmAvx2, kMatmul>;
const ConvolutionKernels kConvolutionAvx512 = kRow<kGemmAvx512, kMatmulAvx512>;
#endif
const ConvolutionKernels kConvolutionEigen = kRow<kGemmEigen, kMatmulEigen>;

} // namespace cannery::kernels::cpu
