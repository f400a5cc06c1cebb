// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/convolution.h"

#include "kernels/cpu/activate.h"
#include "kernels/cpu/finite.h"
#include "kernels/cpu/partial_sums.h"
#include "kernels/device/instructions.h"
#include "kernels/onednn/picture_pass.h"

#if CANNERY_X86_64_V3

#include <algorithm>
#include <atomic>
#include <mutex>

namespace cannery::kernels::onednn {

namespace {

/// For fewer channels, the library computes the gradient of the picture in vectors that are mostly
/// empty; ours takes a third of the time (7 x 7, 3 to 64 channels, stride 2).
constexpr std::int64_t kFewestChannels = 16;
/// Larger kernels have a gradient of many blocks, which ours sums without parts of the batch.
constexpr std::int64_t kLargestKernel = 160 * 1024;
/// Floats of all parts of a kernel's gradient.
constexpr std::int64_t kPartFloats = 1024 * 1024;

constexpr std::size_t kAlignment = 64;

/// Floats at the beginning of a line of the cache.
class AlignedFloats
{
public:
    explicit AlignedFloats(std::int64_t count)
        : m_room(static_cast<std::size_t>(count) * sizeof(float) + kAlignment),
          m_memory(std::make_unique_for_overwrite<float[]>(m_room / sizeof(float)))
    {}

    float* data()
    {
        void* start = m_memory.get();
        std::size_t room = m_room;
        return static_cast<float*>(std::align(kAlignment, sizeof(float), start, room));
    }

private:
    std::size_t m_room; ///< in bytes
    std::unique_ptr<float[]> m_memory;
};

/// A pass and the memory that its calls share.
struct Pass
{
    explicit Pass(std::unique_ptr<PicturePass> planned)
        : pass(std::move(planned)), kernel(pass->kernelFloats())
    {}

    std::unique_ptr<PicturePass> pass;
    AlignedFloats kernel;
    std::mutex mutex;
};

/// Null if the library has none, or needs more working memory than a worker has.
std::unique_ptr<Pass> passOf(const ConvolutionProblem& problem, PassKind kind)
{
    std::unique_ptr<PicturePass> planned = PicturePass::planned(problem, kind);
    if (planned == nullptr || planned->scratchFloats() > ThreadPool::kScratchFloats) {
        return nullptr;
    }
    return std::make_unique<Pass>(std::move(planned));
}

/// A gradient of the kernel in parts of the batch.
struct KernelPass : Pass
{
    explicit KernelPass(std::unique_ptr<PicturePass> planned)
        : Pass(std::move(planned)),
          partialSums(pass->kernelFloats(),
                      cpu::PartialSums::kEnoughBlocks * pass->kernelFloats() / kPartFloats + 1)
    {}

    cpu::PartialSums partialSums;
    std::vector<AlignedFloats> images; ///< each worker's, the gradient of one image
};

class Plan : public ConvolutionPlan
{
public:
    explicit Plan(const ConvolutionProblem& shapes)
        : ConvolutionPlan(shapes), noBias(static_cast<std::size_t>(shapes.filters))
    {}

    Convolution own; ///< for what the library does not compute, or not as fast
    std::unique_ptr<Pass> forward;
    std::unique_ptr<Pass> srcGradient;
    std::unique_ptr<KernelPass> kernelGradient;
    std::vector<float> noBias;
};

/// Our own implementation for the problem.
Convolution ownConvolution(const ConvolutionProblem& problem)
{
    const auto isOwn = [&](const ConvolutionImplementation& row) {
        return row.kernels != &onednn::kConvolution && row.refusal(problem).empty();
    };
    return {*std::ranges::find_if(convolutionImplementations(), isOwn), problem};
}

std::unique_ptr<ConvolutionPlan> plan(const ConvolutionProblem& problem)
{
    auto made = std::make_unique<Plan>(problem);
    made->forward = passOf(problem, PassKind::Forward);
    if (made->forward == nullptr) {
        return nullptr;
    }
    if (problem.isDepthwise() || problem.groupChannels() >= kFewestChannels) {
        made->srcGradient = passOf(problem, PassKind::SrcGradient);
    }
    if (problem.trains && problem.kernelFloats() <= kLargestKernel) {
        std::unique_ptr<PicturePass> pass = PicturePass::planned(problem, PassKind::KernelGradient);
        if (pass != nullptr && pass->scratchFloats() <= ThreadPool::kScratchFloats) {
            made->kernelGradient = std::make_unique<KernelPass>(std::move(pass));
        }
    }
    ConvolutionProblem rest = problem;
    rest.trains = problem.trains && made->kernelGradient == nullptr;
    made->own = ownConvolution(rest);
    return made;
}

/// Calls compute(image, worker) for each image; false if it was false for any.
template <typename Function>
bool forEachImage(ThreadPool& pool, std::int64_t images, const Function& compute)
{
    std::atomic<bool> isDone = true;
    pool.parallelFor(images, [&](std::int64_t image, int worker) {
        if (!compute(image, worker)) {
            isDone = false;
        }
    });
    return isDone;
}

/// False if nothing can be said of dst.
bool tryForward(Plan& plan, ThreadPool& pool, ConstMatrixView src, std::span<const float> kernel,
                const ConvolutionEpilogue& epilogue, MatrixView dst)
{
    Pass& forward = *plan.forward;
    const std::lock_guard lock(forward.mutex);
    float* packed = forward.kernel.data();
    if (!forward.pass->prepareFor(pool.threadCount()) ||
        !forward.pass->pack(kernel.data(), packed)) {
        return false;
    }
    const float* bias = epilogue.bias.empty() ? plan.noBias.data() : epilogue.bias.data();
    return forEachImage(pool, dst.rows, [&](std::int64_t image, int worker) {
        const bool isDone = forward.pass->compute(
            worker, {src.at(image), packed, bias, dst.at(image)}, pool.scratch(worker).data());
        // The library's ReLU would lose NaN.
        if (epilogue.activation != Activation::Linear) {
            const std::int64_t filters = plan.problem.filters;
            cpu::activate(epilogue.activation,
                          {dst.at(image), plan.problem.dstPixels(), filters, filters});
        }
        return isDone;
    });
}

/// The library may put zeros where the padding is, which would meet NaN.
bool mayMeetNaN(const Plan& plan, ThreadPool& pool, std::span<const float> kernel)
{
    return plan.problem.isPadded() && !cpu::areFinite(pool, kernel);
}

void forward(ConvolutionPlan& planned, ThreadPool& pool, ConstMatrixView src,
             std::span<const float> kernel, const ConvolutionEpilogue& epilogue, MatrixView dst)
{
    Plan& plan = static_cast<Plan&>(planned);
    if (mayMeetNaN(plan, pool, kernel) || !tryForward(plan, pool, src, kernel, epilogue, dst)) {
        plan.own.forward(pool, src, kernel, epilogue, dst);
    }
}

bool trySrcGradient(Pass& gradient, ThreadPool& pool, ConstMatrixView dstGrad,
                    std::span<const float> kernel, MatrixView srcGrad)
{
    const std::lock_guard lock(gradient.mutex);
    float* packed = gradient.kernel.data();
    return gradient.pass->prepareFor(pool.threadCount()) &&
           gradient.pass->pack(kernel.data(), packed) &&
           forEachImage(pool, srcGrad.rows, [&](std::int64_t image, int worker) {
               return gradient.pass->compute(
                   worker, {srcGrad.at(image), packed, nullptr, dstGrad.at(image)},
                   pool.scratch(worker).data());
           });
}

void srcGradient(ConvolutionPlan& planned, ThreadPool& pool, ConstMatrixView dstGrad,
                 std::span<const float> kernel, MatrixView srcGrad)
{
    Plan& plan = static_cast<Plan&>(planned);
    if (plan.srcGradient == nullptr || mayMeetNaN(plan, pool, kernel) ||
        !trySrcGradient(*plan.srcGradient, pool, dstGrad, kernel, srcGrad)) {
        plan.own.srcGradient(pool, dstGrad, kernel, srcGrad);
    }
}

/// The sum over some images, in their order.
bool sumImages(KernelPass& gradient, ConstMatrixView src, ConstMatrixView dstGrad, float* sum,
               int worker, float* scratch)
{
    const std::int64_t floats = gradient.pass->kernelFloats();
    if (src.rows == 0) {
        std::fill_n(sum, floats, 0.0F);
        return true;
    }
    float* one = gradient.images[static_cast<std::size_t>(worker)].data();
    for (std::int64_t image = 0; image < src.rows; ++image) {
        float* to = image == 0 ? sum : one;
        if (!gradient.pass->compute(worker, {src.at(image), to, nullptr, dstGrad.at(image)},
                                    scratch)) {
            return false;
        }
        for (std::int64_t i = 0; image > 0 && i < floats; ++i) {
            sum[i] += one[i];
        }
    }
    return true;
}

bool tryKernelGradient(KernelPass& gradient, ThreadPool& pool, ConstMatrixView src,
                       ConstMatrixView dstGrad, std::span<float> kernelGrad)
{
    const std::lock_guard lock(gradient.mutex);
    // Made once, for as many workers as ever come.
    while (gradient.images.size() < static_cast<std::size_t>(pool.threadCount())) {
        gradient.images.emplace_back(gradient.pass->kernelFloats());
    }
    if (!gradient.pass->prepareFor(pool.threadCount())) {
        return false;
    }
    std::atomic<bool> isDone = true;
    const std::span<float> total(gradient.kernel.data(),
                                 static_cast<std::size_t>(gradient.pass->kernelFloats()));
    gradient.partialSums.compute(pool, src.rows, 1, total,
                                 [&](BlockRange images, std::int64_t, float* sum, int worker) {
                                     if (!sumImages(gradient, src.slice(images.first, images.count),
                                                    dstGrad.slice(images.first, images.count), sum,
                                                    worker, pool.scratch(worker).data())) {
                                         isDone = false;
                                     }
                                 });
    return isDone && gradient.pass->unpack(total.data(), kernelGrad.data());
}

void kernelGradient(ConvolutionPlan& planned, ThreadPool& pool, ConstMatrixView src,
                    ConstMatrixView dstGrad, std::span<float> kernelGrad)
{
    Plan& plan = static_cast<Plan&>(planned);
    if (plan.kernelGradient == nullptr ||
        (plan.problem.isPadded() && !cpu::areFinite(pool, dstGrad)) ||
        !tryKernelGradient(*plan.kernelGradient, pool, src, dstGrad, kernelGrad)) {
        plan.own.kernelGradient(pool, src, dstGrad, kernelGrad);
    }
}

} // namespace

const ConvolutionKernels kConvolution = {forward, srcGradient, kernelGradient, plan};

} // namespace cannery::kernels::onednn

#endif
