// SPDX-License-Identifier: Apache-2.0
#include "core/losses/loss_catalog.h"

#include "kernels/math/elementary.h"

#include <algorithm>
#include <array>

namespace cannery::losses {
namespace {

void ofSigmoid(std::span<const float> logits, std::span<float> second)
{
    std::ranges::transform(logits, second.begin(), [](float logit) {
        const float p = kernels::logistic(logit);
        return p * (1.0F - p);
    });
}

void ofSoftmax(std::span<const float> logits, std::span<float> second)
{
    const float largest = *std::ranges::max_element(logits);
    float sum = 0.0F;
    for (std::size_t i = 0; i < logits.size(); ++i) {
        second[i] = kernels::exponential(logits[i] - largest);
        sum += second[i];
    }
    for (float& value : second) {
        const float p = value / sum;
        value = p * (1.0F - p);
    }
}

void ofSquares(std::span<const float> /*logits*/, std::span<float> second)
{
    std::ranges::fill(second, 2.0F);
}

void ofPoisson(std::span<const float> logits, std::span<float> second)
{
    std::ranges::transform(logits, second.begin(),
                           [](float logit) { return kernels::exponential(logit); });
}

constexpr std::array kCatalog{
    LossRow{LossKind::SigmoidCrossEntropy, "sigmoid_cross_entropy",
            kernels::Loss::SigmoidCrossEntropy, LossCount::PerLogit, ofSigmoid},
    LossRow{LossKind::SigmoidCrossEntropyOverLabels, "sigmoid_cross_entropy_over_labels",
            kernels::Loss::SigmoidCrossEntropy, LossCount::MeanPerRow, ofSigmoid},
    LossRow{LossKind::SoftmaxCrossEntropy, "softmax_cross_entropy",
            kernels::Loss::SoftmaxCrossEntropy, LossCount::PerRow, ofSoftmax},
    LossRow{LossKind::SquaredError, "squared_error", kernels::Loss::SquaredError,
            LossCount::PerLogit, ofSquares},
    LossRow{LossKind::PoissonFull, "poisson_full", kernels::Loss::PoissonFull, LossCount::PerLogit,
            ofPoisson},
    LossRow{LossKind::Poisson, "poisson", kernels::Loss::Poisson, LossCount::PerLogit, ofPoisson},
};

} // namespace

std::span<const LossRow> lossCatalog()
{
    return kCatalog;
}

} // namespace cannery::losses
