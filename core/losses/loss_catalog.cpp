// SPDX-License-Identifier: Apache-2.0
#include "core/losses/loss_catalog.h"

#include "kernels/math/elementary.h"

#include <algorithm>
#include <array>

namespace cannery::losses {
namespace {

/// In the order of TensorFlow's gradient of a sigmoid, which decides between equal splits of trees.
void ofSigmoid(std::span<const float> logits, std::span<float> second)
{
    std::ranges::transform(logits, second, second.begin(), [](float logit, float factor) {
        const float p = kernels::logistic(logit);
        return p * factor * (1.0F - p);
    });
}

void softmax(std::span<const float> logits, std::span<float> probabilities)
{
    const float largest = *std::ranges::max_element(logits);
    float sum = 0.0F;
    for (std::size_t i = 0; i < logits.size(); ++i) {
        probabilities[i] = kernels::exponential(logits[i] - largest);
        sum += probabilities[i];
    }
    for (float& value : probabilities) {
        value /= sum;
    }
}

void ofSoftmax(std::span<const float> logits, std::span<float> second)
{
    const float factor = second.front();
    softmax(logits, second);
    for (float& p : second) {
        p = p * (1.0F - p) * factor;
    }
}

/// diag(p) - p p'. The last row holds the probabilities until it is its turn.
void hessianOfSoftmax(std::span<const float> logits, std::span<float> hessian)
{
    const std::size_t classes = logits.size();
    const std::span<float> p = hessian.last(classes);
    softmax(logits, p);
    for (std::size_t i = 0; i < classes; ++i) {
        const float own = p[i];
        const std::span<float> row = hessian.subspan(i * classes, classes);
        for (std::size_t j = 0; j < classes; ++j) {
            row[j] = i == j ? own * (1.0F - own) : -own * p[j];
        }
    }
}

void ofSquares(std::span<const float> /*logits*/, std::span<float> second)
{
    for (float& value : second) {
        value *= 2.0F;
    }
}

void ofPoisson(std::span<const float> logits, std::span<float> second)
{
    std::ranges::transform(logits, second, second.begin(), [](float logit, float factor) {
        return kernels::exponential(logit) * factor;
    });
}

constexpr std::array kCatalog{
    LossRow{LossKind::SigmoidCrossEntropy, "sigmoid_cross_entropy",
            kernels::Loss::SigmoidCrossEntropy, LossCount::PerLogit, ofSigmoid},
    LossRow{LossKind::SigmoidCrossEntropyOverLabels, "sigmoid_cross_entropy_over_labels",
            kernels::Loss::SigmoidCrossEntropy, LossCount::MeanPerRow, ofSigmoid},
    LossRow{LossKind::SoftmaxCrossEntropy, "softmax_cross_entropy",
            kernels::Loss::SoftmaxCrossEntropy, LossCount::PerRow, ofSoftmax, hessianOfSoftmax},
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
