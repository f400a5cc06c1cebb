// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/matmul.h"

#include "kernels/cpu/activate.h"
#include "kernels/device/instructions.h"
#include "kernels/onednn/block_product.h"

#if CANNERY_X86_64_V3

#include <memory>
#include <span>

namespace cannery::kernels::onednn {

namespace {

using cpu::GemmTile;

/// Rows of a block, whatever the number of threads. Higher blocks are a little faster, and taken if
/// all threads get enough of them. What is left over is computed by our own kernel: the bits are
/// the same.
constexpr std::int64_t kLowBlock = 64;
constexpr std::int64_t kHighBlock = 128;

/// For more rows, our own kernel has the gradient of the weights sooner.
constexpr std::int64_t kMostRowsOfWeights = 128;

/// A product in blocks of either height.
struct Blocks
{
    explicit Blocks(GemmTile whole)
    {
        whole.rows = kLowBlock;
        low = BlockProduct::planned(whole);
        whole.rows = kHighBlock;
        high = BlockProduct::planned(whole);
    }
    bool isPlanned() const { return low != nullptr && high != nullptr; }

    std::unique_ptr<BlockProduct> low;
    std::unique_ptr<BlockProduct> high;
};

GemmTile forwardTile(ConstMatrixView src, ConstMatrixView weights, MatrixView dst)
{
    return {.left = {src.data, src.stride, 1},
            .right = {weights.data, 1, weights.stride},
            .dst = dst.data,
            .dstStride = dst.stride,
            .rows = dst.rows,
            .cols = dst.cols,
            .depth = src.cols};
}

GemmTile srcGradientTile(ConstMatrixView dstGrad, ConstMatrixView weights, MatrixView srcGrad)
{
    return {.left = {dstGrad.data, dstGrad.stride, 1},
            .right = {weights.data, weights.stride, 1},
            .dst = srcGrad.data,
            .dstStride = srcGrad.stride,
            .rows = srcGrad.rows,
            .cols = srcGrad.cols,
            .depth = dstGrad.cols};
}

GemmTile weightsGradientTile(ConstMatrixView src, ConstMatrixView dstGrad, MatrixView weightsGrad)
{
    return {.left = {src.data, 1, src.stride},
            .right = {dstGrad.data, 1, dstGrad.stride},
            .dst = weightsGrad.data,
            .dstStride = weightsGrad.stride,
            .rows = weightsGrad.rows,
            .cols = weightsGrad.cols,
            .depth = src.rows};
}

/// For views without gaps between their rows.
class Plan : public MatmulPlan
{
public:
    explicit Plan(const MatmulProblem& problem)
        : src{nullptr, problem.rows, problem.depth, problem.depth},
          weights{nullptr, problem.depth, problem.cols, problem.cols}, dst{nullptr, problem.rows,
                                                                           problem.cols,
                                                                           problem.cols},
          forward(forwardTile(src, weights, dst)), srcGradient(srcGradientTile(dst, weights, src)),
          weightsGradient(problem.rows <= kMostRowsOfWeights
                              ? BlockProduct::planned(weightsGradientTile(src, dst, weights))
                              : nullptr)
    {}
    bool isWhole() const
    {
        // All or nothing: the products of one layer belong together.
        return forward.isPlanned() && srcGradient.isPlanned() &&
               (weightsGradient != nullptr || src.rows > kMostRowsOfWeights);
    }

    MatrixView src;
    MatrixView weights;
    MatrixView dst;
    Blocks forward;
    Blocks srcGradient;
    std::unique_ptr<BlockProduct> weightsGradient; ///< null if our own kernel computes it
};

std::unique_ptr<MatmulPlan> plan(const MatmulProblem& problem)
{
    auto made = std::make_unique<Plan>(problem);
    if (!made->isWhole()) {
        return nullptr;
    }
    return made;
}

bool hasShape(ConstMatrixView view, ConstMatrixView planned)
{
    return view.cols == planned.cols && view.stride == planned.stride;
}

/// Computes whole blocks; returns the number of rows in them.
template <typename Epilogue>
std::int64_t multiply(ThreadPool& pool, const Blocks& blocks, const GemmTile& whole,
                      const Epilogue& epilogue)
{
    const int threads = pool.threadCount();
    // Two blocks for each thread, so that a late one leaves work to others.
    const bool isHigh = whole.rows / kHighBlock >= (threads == 1 ? 1 : 2 * threads);
    BlockProduct& product = isHigh ? *blocks.high : *blocks.low;
    const std::int64_t height = isHigh ? kHighBlock : kLowBlock;
    const auto runBlock = [&](std::int64_t block, int worker) {
        const std::int64_t first = block * height;
        GemmTile tile = whole;
        tile.left = whole.left.from(first);
        tile.dst = whole.dst + first * whole.dstStride;
        tile.rows = height;
        product.multiply(tile, pool.scratch(worker));
        epilogue(MatrixView{tile.dst, tile.rows, tile.cols, tile.dstStride});
    };
    pool.parallelFor(whole.rows / height, runBlock);
    // Rows beyond the last whole block are left to the caller.
    return whole.rows / height * height;
}

void addBias(std::span<const float> bias, bool relu, MatrixView dst)
{
    for (std::int64_t r = 0; r < dst.rows; ++r) {
        float* row = dst.at(r);
        for (std::int64_t c = 0; c < dst.cols; ++c) {
            const float sum = row[c] + bias[static_cast<std::size_t>(c)];
            row[c] = relu ? ReluFormula::value(sum) : sum;
        }
    }
}

/// After the product: a block is still in the cache. oneDNN's own relu would lose NaN.
void finish(const MatmulEpilogue& epilogue, MatrixView dst)
{
    const bool relu = epilogue.activation == Activation::Relu;
    if (!epilogue.bias.empty()) {
        addBias(epilogue.bias, relu, dst);
    }
    // With a bias, ReLU has been applied already.
    if (epilogue.activation != Activation::Linear && (!relu || epilogue.bias.empty())) {
        cpu::activate(epilogue.activation, dst);
    }
}

/// Our own kernel, for what was not planned.
constexpr const MatmulKernels& kOwn = cpu::kMatmulAvx512;

void forward(MatmulPlan* planned, ThreadPool& pool, ConstMatrixView src, ConstMatrixView weights,
             const MatmulEpilogue& epilogue, MatrixView dst)
{
    const Plan& plan = *static_cast<const Plan*>(planned);
    std::int64_t done = 0;
    // What is added to dst was not planned.
    if (!epilogue.accumulate && hasShape(src, plan.src) && hasShape(weights, plan.weights) &&
        hasShape(dst, plan.dst)) {
        done = multiply(pool, plan.forward, forwardTile(src, weights, dst),
                        [&](MatrixView block) { finish(epilogue, block); });
    }
    if (done < dst.rows) {
        kOwn.forward(nullptr, pool, src.slice(done, src.rows - done), weights, epilogue,
                     dst.slice(done, dst.rows - done));
    }
}

void srcGradient(MatmulPlan* planned, ThreadPool& pool, ConstMatrixView dstGrad,
                 ConstMatrixView weights, MatrixView srcGrad)
{
    const Plan& plan = *static_cast<const Plan*>(planned);
    std::int64_t done = 0;
    if (hasShape(dstGrad, plan.dst) && hasShape(weights, plan.weights) &&
        hasShape(srcGrad, plan.src)) {
        done = multiply(pool, plan.srcGradient, srcGradientTile(dstGrad, weights, srcGrad),
                        [](MatrixView) {});
    }
    if (done < srcGrad.rows) {
        kOwn.srcGradient(nullptr, pool, dstGrad.slice(done, dstGrad.rows - done), weights,
                         srcGrad.slice(done, srcGrad.rows - done));
    }
}

/// The library takes the transposed factor only as a whole, which leaves a second thread nothing to
/// do.
void weightsGradient(MatmulPlan* planned, ThreadPool& pool, ConstMatrixView src,
                     ConstMatrixView dstGrad, MatrixView weightsGrad)
{
    const Plan& plan = *static_cast<const Plan*>(planned);
    // A single thread alone may use the library for it.
    if (plan.weightsGradient != nullptr && pool.threadCount() == 1 && src.rows == plan.src.rows &&
        hasShape(src, plan.src) && hasShape(dstGrad, plan.dst) &&
        hasShape(weightsGrad, plan.weights)) {
        plan.weightsGradient->multiply(weightsGradientTile(src, dstGrad, weightsGrad),
                                       pool.scratch(0));
        return;
    }
    kOwn.weightsGradient(nullptr, pool, src, dstGrad, weightsGrad);
}

} // namespace

const MatmulKernels kMatmul = {forward, srcGradient, weightsGradient, plan};

} // namespace cannery::kernels::onednn

#endif
