// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/reports/kernel_report.h"

#include "kernels/device/cpu_level.h"
#include "kernels/ops/activation.h"
#include "kernels/ops/attention.h"
#include "kernels/ops/batch_norm.h"
#include "kernels/ops/bias_grad.h"
#include "kernels/ops/columns_product.h"
#include "kernels/ops/convolution.h"
#include "kernels/ops/dropout.h"
#include "kernels/ops/global_pooling.h"
#include "kernels/ops/gradient_histogram.h"
#include "kernels/ops/loss.h"
#include "kernels/ops/matmul.h"
#include "kernels/ops/nearest_centers.h"
#include "kernels/ops/noise.h"
#include "kernels/ops/optimizer_step.h"
#include "kernels/ops/parametric_activation.h"
#include "kernels/ops/pooling.h"
#include "kernels/ops/recurrent_cell.h"
#include "kernels/ops/softmax.h"
#include "kernels/ops/sparse_combine.h"
#include "kernels/ops/vector_ops.h"

#include <fmt/core.h>

#include <string_view>
#include <utility>

namespace cannery::app {

namespace {

using kernels::CpuLevel;

/// The shapes of a medium-sized network.
constexpr std::int64_t kTypicalCenters = 10;
constexpr std::int64_t kTypicalBatch = 128;
constexpr std::int64_t kTypicalUnits = 512;
constexpr std::int64_t kTypicalInputs = 1024;
/// And of a small one.
constexpr std::int64_t kSmallInputs = 256;
constexpr std::int64_t kSmallUnits = 128;
constexpr std::int64_t kTypicalPicture = 14;
constexpr std::int64_t kTypicalChannels = 64;
constexpr std::int64_t kTypicalTableRows = 100'000;
constexpr std::int64_t kTypicalDimension = 16;

KernelChoice choiceOf(const char* operation, std::string problemInWords, std::string_view kernel,
                      const std::vector<kernels::Refusal>& refusals)
{
    KernelChoice choice{operation, std::move(problemInWords), std::string(kernel), {}};
    for (const kernels::Refusal& refusal : refusals) {
        choice.passedOver.push_back(
            {std::string(refusal.implementation), std::string(refusal.reason)});
    }
    return choice;
}

template <typename Problem, typename Kernels>
KernelChoice choiceOf(const char* operation, std::string problemInWords,
                      std::span<const kernels::Implementation<Problem, Kernels>> list,
                      const Problem& problem)
{
    std::vector<kernels::Refusal> refusals;
    const std::string_view kernel = kernels::choose(list, problem, &refusals).name;
    return choiceOf(operation, std::move(problemInWords), kernel, refusals);
}

/// Of a dense layer, which is planned to learn whether the library has it.
KernelChoice productChoice(const kernels::MatmulProblem& problem)
{
    std::vector<kernels::Refusal> refusals;
    const kernels::Matmul matmul(problem, &refusals);
    return choiceOf(
        "matmul",
        fmt::format("dense layer, batch {}, {} to {}", problem.rows, problem.depth, problem.cols),
        matmul.implementation(), refusals);
}

/// Of a layer in the middle of a picture classifier, likewise; `groups` as many as channels, or 1.
KernelChoice convolutionChoice(std::string problemInWords, std::int64_t groups)
{
    constexpr kernels::WindowAxis kAxis{
        .size = kTypicalPicture, .window = 3, .before = 1, .after = 1};
    std::vector<kernels::Refusal> refusals;
    const kernels::Convolution convolution({.images = kTypicalBatch,
                                            .height = kAxis,
                                            .width = kAxis,
                                            .inChannels = kTypicalChannels,
                                            .filters = kTypicalChannels,
                                            .groups = groups},
                                           &refusals);
    return choiceOf("convolution", std::move(problemInWords), convolution.implementation(),
                    refusals);
}

std::string levelWithWords(CpuLevel level)
{
    const std::string_view name = kernels::name(level);
    if (level == CpuLevel::X86_64_v3 && name != "x86-64-v3") {
        return std::string(name); // of an engine for other processors
    }
    return fmt::format("{} ({})", name, level == CpuLevel::X86_64_v4 ? "AVX-512" : "AVX2, FMA");
}

} // namespace

std::vector<KernelChoice> kernelChoices()
{
    using namespace kernels;
    constexpr std::int64_t rows = kTypicalBatch;
    constexpr std::int64_t cols = kTypicalUnits;
    return {
        productChoice({.rows = rows, .depth = kTypicalInputs, .cols = cols}),
        productChoice({.rows = rows, .depth = kSmallInputs, .cols = kSmallUnits}),
        choiceOf("columns_product", "first dense layer, indicators and numbers",
                 columnsProductImplementations(), {rows, cols}),
        convolutionChoice(fmt::format("3 x 3, {0} to {0} channels", kTypicalChannels), 1),
        convolutionChoice(fmt::format("depthwise 3 x 3, {} channels", kTypicalChannels),
                          kTypicalChannels),
        choiceOf("pooling", "maxima and averages of pictures", poolingImplementations(),
                 PoolingProblem()),
        choiceOf("global_pooling", "one number for each channel of a picture",
                 globalPoolingImplementations(), GlobalPoolingProblem()),
        choiceOf("activation", "ReLU and others", activationImplementations(),
                 {rows, cols, Activation::Relu}),
        choiceOf("parametric_activation", "PReLU and others", parametricActivationImplementations(),
                 {rows, cols}),
        choiceOf("bias_grad", "gradient of a bias", biasGradImplementations(), {rows, cols}),
        choiceOf("batch_norm", "batch normalization", batchNormImplementations(), {rows, cols}),
        choiceOf("dropout", "dropout", dropoutImplementations(), {rows, cols}),
        choiceOf("noise", "normal noise", noiseImplementations(), {rows, cols}),
        choiceOf("attention", "4 heads over 64 steps", attentionImplementations(),
                 {.rows = rows,
                  .heads = 4,
                  .queries = 64,
                  .keys = 64,
                  .keyWidth = 16,
                  .valueWidth = 16}),
        choiceOf("softmax", "probabilities of classes", softmaxImplementations(), {rows, 10}),
        choiceOf("recurrent", "step of an LSTM or GRU", recurrentImplementations(), {rows, cols}),
        choiceOf("loss", "cross entropy", lossImplementations(),
                 {Loss::SigmoidCrossEntropy, rows, 1}),
        choiceOf(
            "sparse_combine",
            fmt::format("embedding, {} ids of {} floats", kTypicalTableRows, kTypicalDimension),
            sparseCombineImplementations(), {kTypicalTableRows, kTypicalDimension, {}}),
        choiceOf("gradient_histogram", "trees over histograms, 16 columns",
                 gradientHistogramImplementations(), {kHistogramGroup}),
        choiceOf("nearest_centers", "k-means", nearestCentersImplementations(),
                 {.depth = cols, .centers = kTypicalCenters}),
        choiceOf("optimizer_step", "Adagrad, Adam, FTRL and others", optimizerStepImplementations(),
                 OptimizerStepProblem()),
        choiceOf("vector", "sums, clipping, copies", vectorImplementations(),
                 VectorProblem{kTypicalInputs * cols}),
    };
}

std::string cpuLevelInWords()
{
    const CpuLevel machine = kernels::machineCpuLevel();
    const CpuLevel used = kernels::cpuLevel();
    if (used == machine) {
        return levelWithWords(used);
    }
    return fmt::format("{}, capped by {}; this processor has {}", levelWithWords(used),
                       kernels::kCpuLevelVariable, levelWithWords(machine));
}

} // namespace cannery::app
