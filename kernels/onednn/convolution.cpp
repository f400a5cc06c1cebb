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
#include <new>
#include <utility>

namespace cannery::kernels::onednn {

namespace {

/// For fewer channels, the library computes the gradient of the picture in vectors that are mostly
/// empty; ours takes a third of the time (7 x 7, 3 to 64 channels, stride 2).
constexpr std::int64_t kFewestChannels = 16;
/// Larger kernels have a gradient of many blocks, which ours sums without parts of the batch.
constexpr std::int64_t kLargestKernel = 160 * 1024;
/// Floats of all parts of a kernel's gradient.
constexpr std::int64_t kPartFloats = 1024 * 1024;

/// Positions of a strip at least: fewer read the kernel too often.
constexpr std::int64_t kStripPositions = 392;
constexpr std::int64_t kMostStrips = 8;

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

/// Some rows of the result of an image, which are a convolution of some rows of the picture.
struct Strip
{
    PicturePass* pass = nullptr;
    std::int64_t srcOffset = 0; ///< of the first floats of an image
    std::int64_t dstOffset = 0;
    std::int64_t positions = 0;
};

/// The positions [first, end) as an axis of their own, whose picture is what their windows see.
WindowAxis axisOf(const WindowAxis& whole, std::int64_t first, std::int64_t end)
{
    const std::int64_t firstPixel = whole.pixel(first, 0);
    const std::int64_t endPixel = whole.pixel(end - 1, 0) + whole.reach();
    WindowAxis axis = whole;
    axis.before = std::max<std::int64_t>(0, -firstPixel);
    axis.after = std::max<std::int64_t>(0, endPixel - whole.size);
    axis.size = endPixel - firstPixel - axis.before - axis.after;
    return axis;
}

/// A forward pass in strips of each image: threads share an image, and it stays in their caches.
struct ForwardPass : Pass
{
    using Pass::Pass;

    std::vector<std::pair<WindowAxis, std::unique_ptr<PicturePass>>> others;
    std::vector<Strip> strips;
};

/// False if the library computes a strip in another way than the whole image.
bool cutIntoStrips(ForwardPass& forward, const ConvolutionProblem& problem, std::int64_t count)
{
    const std::int64_t height = problem.height.positions();
    const std::int64_t width = problem.width.positions();
    for (std::int64_t strip = 0; strip < count; ++strip) {
        const std::int64_t first = height * strip / count;
        const std::int64_t end = height * (strip + 1) / count;
        ConvolutionProblem part = problem;
        part.height = axisOf(problem.height, first, end);
        // All but the first and the last are usually the same.
        auto found = std::ranges::find(forward.others, part.height,
                                       [](const auto& other) { return other.first; });
        if (found == forward.others.end()) {
            std::unique_ptr<PicturePass> pass = PicturePass::planned(part, PassKind::Forward);
            if (pass == nullptr || !pass->hasKernelOf(*forward.pass) ||
                pass->scratchFloats() > ThreadPool::kScratchFloats) {
                return false;
            }
            found = forward.others.insert(found, {part.height, std::move(pass)});
        }
        const std::int64_t row = std::max<std::int64_t>(0, problem.height.pixel(first, 0));
        forward.strips.push_back({found->second.get(),
                                  row * problem.width.size * problem.inChannels,
                                  first * width * problem.filters, (end - first) * width});
    }
    return true;
}

std::unique_ptr<ForwardPass> forwardOf(const ConvolutionProblem& problem)
{
    std::unique_ptr<PicturePass> whole = PicturePass::planned(problem, PassKind::Forward);
    if (whole == nullptr || whole->scratchFloats() > ThreadPool::kScratchFloats) {
        return nullptr;
    }
    auto forward = std::make_unique<ForwardPass>(std::move(whole));
    const std::int64_t strips =
        std::min(problem.height.positions(), problem.dstPixels() / kStripPositions);
    if (strips < 2 || !cutIntoStrips(*forward, problem, std::min(strips, kMostStrips))) {
        forward->others.clear();
        forward->strips = {{forward->pass.get(), 0, 0, problem.dstPixels()}};
    }
    return forward;
}

/// A gradient of the kernel in parts of the batch.
struct KernelPass : Pass
{
    explicit KernelPass(std::unique_ptr<PicturePass> planned)
        : Pass(std::move(planned)),
          partialSums(pass->kernelFloats(),
                      cpu::PartialSums::kEnoughBlocks * pass->kernelFloats() / kPartFloats + 1)
    {}

    /// What the workers need, made once for as many as ever come.
    bool prepareFor(int count)
    {
        try {
            while (images.size() < static_cast<std::size_t>(count)) {
                images.emplace_back(pass->kernelFloats());
            }
        } catch (const std::bad_alloc&) {
            return false;
        }
        return pass->prepareFor(count);
    }

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
    std::unique_ptr<ForwardPass> forward;
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
    made->forward = forwardOf(problem);
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

/// Calls compute(block, worker) for each block; false if it was false for any.
template <typename Function>
bool computeBlocks(ThreadPool& pool, std::int64_t blocks, const Function& compute)
{
    std::atomic<bool> isDone = true;
    pool.parallelFor(blocks, [&](std::int64_t block, int worker) {
        if (!compute(block, worker)) {
            isDone = false;
        }
    });
    return isDone;
}

/// False if nothing can be said of dst.
bool tryForward(Plan& plan, ThreadPool& pool, ConstMatrixView src, std::span<const float> kernel,
                const ConvolutionEpilogue& epilogue, MatrixView dst)
{
    ForwardPass& forward = *plan.forward;
    const std::lock_guard lock(forward.mutex);
    float* packed = forward.kernel.data();
    const auto isReady = [&](const Strip& strip) {
        return strip.pass->prepareFor(pool.threadCount());
    };
    if (!std::ranges::all_of(forward.strips, isReady) ||
        !forward.pass->pack(kernel.data(), packed)) {
        return false;
    }
    const float* bias = epilogue.bias.empty() ? plan.noBias.data() : epilogue.bias.data();
    const auto strips = static_cast<std::int64_t>(forward.strips.size());
    return computeBlocks(pool, dst.rows * strips, [&](std::int64_t block, int worker) {
        const Strip& strip = forward.strips[static_cast<std::size_t>(block % strips)];
        float* to = dst.at(block / strips) + strip.dstOffset;
        const bool isDone = strip.pass->compute(
            worker, {src.at(block / strips) + strip.srcOffset, packed, bias, to},
            pool.scratch(worker).data());
        // The library's ReLU would lose NaN.
        if (epilogue.activation != Activation::Linear) {
            const std::int64_t filters = plan.problem.filters;
            cpu::activate(epilogue.activation, {to, strip.positions, filters, filters});
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
           computeBlocks(pool, srcGrad.rows, [&](std::int64_t image, int worker) {
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
    if (!gradient.prepareFor(pool.threadCount())) {
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
