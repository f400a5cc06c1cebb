// SPDX-License-Identifier: Apache-2.0
#include "kernels/onednn/picture_pass.h"

#include "kernels/device/instructions.h"

#if CANNERY_X86_64_V3

#include "kernels/onednn/session.h"

#include <algorithm>
#include <array>
#include <exception>
#include <string_view>
#include <utility>
#include <vector>

namespace cannery::kernels::onednn {

namespace {

/// Pictures of one image are [1, channels, height, width], whose channels are neighbours.
Layout pictureLayout(std::int64_t channels, std::int64_t height, std::int64_t width)
{
    const dnnl_dims_t sizes = {1, channels, height, width};
    const dnnl_dims_t steps = {height * width * channels, 1, width * channels, channels};
    return Layout::ofArray(4, sizes, steps);
}

/// Kernels are [filters, channels, kh, kw], of groups [groups, filters, channels, kh, kw].
struct KernelAxes
{
    explicit KernelAxes(const ConvolutionProblem& problem)
        : count(problem.groups == 1 ? 4 : 5),
          skipped(5 - count), sizes{problem.groups, problem.groupFilters(), problem.groupChannels(),
                                    problem.height.window, problem.width.window},
          steps{problem.groupFilters(), 1, problem.filters,
                problem.width.window * problem.groupChannels() * problem.filters,
                problem.groupChannels() * problem.filters}
    {}

    /// Of the contract: [kh, kw, channels, groups, filters].
    Layout given() const { return Layout::ofArray(count, sizes + skipped, steps + skipped); }
    Layout chosen() const { return Layout::ofAnyKind(count, sizes + skipped); }

    int count;
    int skipped;
    dnnl_dims_t sizes;
    dnnl_dims_t steps;
};

ConvolutionLayouts layoutsOf(const ConvolutionProblem& problem)
{
    const WindowAxis& height = problem.height;
    const WindowAxis& width = problem.width;
    const dnnl_dims_t biasSizes = {problem.filters};
    const dnnl_dims_t biasSteps = {1};
    return {.src = pictureLayout(problem.inChannels, height.size, width.size),
            .kernel = KernelAxes(problem).chosen(),
            .bias = Layout::ofArray(1, biasSizes, biasSteps),
            .dst = pictureLayout(problem.filters, height.positions(), width.positions()),
            .strides = {height.stride, width.stride},
            .dilations = {height.dilation - 1, width.dilation - 1},
            .before = {height.before, width.before},
            .after = {height.after, width.after}};
}

/// What is asked of the library's description of a pass, and passed to its primitive.
struct ArgumentNames
{
    dnnl_query_t kernel;
    int src;
    int kernelArgument;
    int dst;
};

ArgumentNames namesOf(PassKind kind)
{
    switch (kind) {
    case PassKind::SrcGradient:
        return {dnnl_query_weights_md, DNNL_ARG_DIFF_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_DST};
    case PassKind::KernelGradient:
        return {dnnl_query_diff_weights_md, DNNL_ARG_SRC, DNNL_ARG_DIFF_WEIGHTS, DNNL_ARG_DIFF_DST};
    case PassKind::Forward:
        break;
    }
    return {dnnl_query_weights_md, DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST};
}

Description describe(const ConvolutionLayouts& layouts, PassKind kind,
                     const_dnnl_primitive_attr_t attributes)
{
    Description forward = describeForward(engine(), layouts, attributes);
    // The gradients ask for it as a hint.
    if (forward == nullptr || kind == PassKind::Forward) {
        return forward;
    }
    return kind == PassKind::SrcGradient
               ? describeSrcGradient(engine(), layouts, attributes, forward.get())
               : describeKernelGradient(engine(), layouts, attributes, forward.get());
}

/// Whether it is code that the library compiles for the shape. Its plain loops are slow, and its
/// products of matrices ("gemm:jit") slower than ours.
bool isCompiled(const_dnnl_primitive_desc_t description)
{
    const char* algorithm = nullptr;
    if (dnnl_primitive_desc_query(description, dnnl_query_impl_info_str, 0,
                                  static_cast<void*>(&algorithm)) != dnnl_success) {
        return false;
    }
    const std::string_view name = algorithm;
    return name.starts_with("jit") || name.starts_with("br");
}

/// A primitive that copies, with arguments for the one thread that runs it.
struct Copy
{
    bool make(const Layout& fromLayout, const Layout& toLayout,
              const_dnnl_primitive_attr_t attributes)
    {
        const Description description = describeCopy(engine(), fromLayout, toLayout, attributes);
        if (description == nullptr) {
            return false;
        }
        const Layout scratchLayout = Layout::ofScratch(description.get());
        // Copies between the layouts of kernels need none.
        if (scratchLayout.isKnown() && scratchLayout.bytes() > 0) {
            return false;
        }
        primitive = made<Primitive>(dnnl_primitive_create, description.get());
        from = memoryOf(fromLayout);
        to = memoryOf(toLayout);
        return primitive != nullptr && from != nullptr && to != nullptr;
    }

    bool run(dnnl_stream_t stream, const float* source, const float* target) const
    {
        const std::array<dnnl_exec_arg_t, 2> list = {
            {{DNNL_ARG_FROM, from.get()}, {DNNL_ARG_TO, to.get()}}};
        return pointTo(from, source) && pointTo(to, target) &&
               dnnl_primitive_execute(primitive.get(), stream, static_cast<int>(list.size()),
                                      list.data()) == dnnl_success;
    }

    Primitive primitive;
    Memory from;
    Memory to;
};

/// What one worker needs.
struct Worker
{
    Stream stream;
    Memory src;
    Memory kernel;
    Memory bias;
    Memory dst;
    Memory scratch;

    bool isWhole() const
    {
        return stream != nullptr && src != nullptr && kernel != nullptr && bias != nullptr &&
               dst != nullptr && scratch != nullptr;
    }
};

Stream newStream()
{
    return made<Stream>(dnnl_stream_create, engine(), unsigned{dnnl_stream_default_flags});
}

} // namespace

struct PicturePass::Parts
{
    bool make(const ConvolutionProblem& problem);
    bool addWorker();
    bool compute(const Worker& worker, const PictureArrays& arrays, const float* scratch) const;
    /// One image of zeros.
    bool tryOut(const ConvolutionProblem& problem);

    PassKind kind = PassKind::Forward;
    ConvolutionLayouts layouts; ///< the kernel's as the library has chosen it
    Layout scratch;
    Primitive primitive;
    Copy copy;
    Stream copyStream;
    std::vector<Worker> workers;
};

bool PicturePass::Parts::make(const ConvolutionProblem& problem)
{
    layouts = layoutsOf(problem);
    const Attributes attributes = attributesWithCallersMemory();
    const Layout given = KernelAxes(problem).given();
    if (!layouts.src.isKnown() || !layouts.kernel.isKnown() || !layouts.bias.isKnown() ||
        !layouts.dst.isKnown() || !given.isKnown() || attributes == nullptr || !hasRoomForCode()) {
        return false;
    }
    const Description description = describe(layouts, kind, attributes.get());
    if (description == nullptr || !isCompiled(description.get())) {
        return false;
    }
    layouts.kernel = Layout::ofArgument(description.get(), namesOf(kind).kernel);
    scratch = Layout::ofScratch(description.get());
    primitive = made<Primitive>(dnnl_primitive_create, description.get());
    if (!layouts.kernel.isKnown() || !scratch.isKnown() || primitive == nullptr ||
        !hasRoomForCode()) {
        return false;
    }
    copyStream = newStream();
    const bool writes = kind == PassKind::KernelGradient;
    return copyStream != nullptr && copy.make(writes ? layouts.kernel : given,
                                              writes ? given : layouts.kernel, attributes.get());
}

bool PicturePass::Parts::addWorker()
{
    Worker worker{newStream(),
                  memoryOf(layouts.src),
                  memoryOf(layouts.kernel),
                  memoryOf(layouts.bias),
                  memoryOf(layouts.dst),
                  memoryOf(scratch)};
    if (!worker.isWhole()) {
        return false;
    }
    workers.push_back(std::move(worker));
    return true;
}

bool PicturePass::Parts::compute(const Worker& worker, const PictureArrays& arrays,
                                 const float* working) const
{
    const ArgumentNames names = namesOf(kind);
    const std::array<dnnl_exec_arg_t, 5> list = {{
        {names.src, worker.src.get()},
        {names.kernelArgument, worker.kernel.get()},
        {names.dst, worker.dst.get()},
        {DNNL_ARG_SCRATCHPAD, worker.scratch.get()},
        {DNNL_ARG_BIAS, worker.bias.get()},
    }};
    // Only the forward pass has a bias.
    const bool hasBias = kind == PassKind::Forward;
    return pointTo(worker.src, arrays.src) && pointTo(worker.kernel, arrays.kernel) &&
           pointTo(worker.dst, arrays.dst) && pointTo(worker.scratch, working) &&
           (!hasBias || pointTo(worker.bias, arrays.bias)) &&
           dnnl_primitive_execute(primitive.get(), worker.stream.get(), hasBias ? 5 : 4,
                                  list.data()) == dnnl_success;
}

bool PicturePass::Parts::tryOut(const ConvolutionProblem& problem)
{
    const auto zeros = [](std::size_t floats) { return std::vector<float>(floats); };
    const std::vector<float> src = zeros(static_cast<std::size_t>(problem.srcFloats()));
    const std::vector<float> dst = zeros(static_cast<std::size_t>(problem.dstFloats()));
    const std::vector<float> kernel = zeros(layouts.kernel.bytes() / sizeof(float));
    const std::vector<float> bias = zeros(static_cast<std::size_t>(problem.filters));
    const std::vector<float> working = zeros(scratch.bytes() / sizeof(float) + 1);
    const auto isZero = [](float value) { return value == 0.0F; };
    return addWorker() &&
           compute(workers[0], {src.data(), kernel.data(), bias.data(), dst.data()},
                   working.data()) &&
           std::ranges::all_of(src, isZero) && std::ranges::all_of(kernel, isZero) &&
           std::ranges::all_of(dst, isZero);
}

PicturePass::PicturePass(std::unique_ptr<Parts> parts) : m_parts(std::move(parts)) {}

PicturePass::~PicturePass() = default;

std::unique_ptr<PicturePass> PicturePass::planned(const ConvolutionProblem& problem, PassKind kind)
{
    try {
        const OneThread one;
        auto parts = std::make_unique<Parts>();
        parts->kind = kind;
        if (engine() == nullptr || !parts->make(problem) || !parts->tryOut(problem)) {
            return nullptr;
        }
        return std::unique_ptr<PicturePass>(new PicturePass(std::move(parts)));
    } catch (const std::exception&) {
        return nullptr;
    }
}

std::int64_t PicturePass::kernelFloats() const
{
    return static_cast<std::int64_t>(m_parts->layouts.kernel.bytes() / sizeof(float));
}

bool PicturePass::hasKernelOf(const PicturePass& other) const
{
    return dnnl_memory_desc_equal(m_parts->layouts.kernel.get(),
                                  other.m_parts->layouts.kernel.get()) != 0;
}

std::int64_t PicturePass::scratchFloats() const
{
    return static_cast<std::int64_t>(m_parts->scratch.bytes() / sizeof(float) + 1);
}

bool PicturePass::prepareFor(int count)
{
    try {
        while (m_parts->workers.size() < static_cast<std::size_t>(count)) {
            if (!m_parts->addWorker()) {
                return false;
            }
        }
        return true;
    } catch (const std::exception&) {
        return false;
    }
}

bool PicturePass::pack(const float* kernel, float* packed)
{
    try {
        const OneThread one;
        return m_parts->copy.run(m_parts->copyStream.get(), kernel, packed);
    } catch (const std::exception&) {
        return false;
    }
}

bool PicturePass::unpack(const float* packed, float* kernel)
{
    // The copy of a pass that writes a kernel goes the other way.
    return pack(packed, kernel);
}

bool PicturePass::compute(int worker, const PictureArrays& arrays, float* scratch)
{
    try {
        const OneThread one;
        return m_parts->compute(m_parts->workers[static_cast<std::size_t>(worker)], arrays,
                                scratch);
    } catch (const std::exception&) {
        return false;
    }
}

} // namespace cannery::kernels::onednn

#endif
