// SPDX-License-Identifier: Apache-2.0
#include "core/losses/loss_catalog.h"

#include <array>

namespace cannery::losses {
namespace {

constexpr std::array kCatalog{
    LossRow{LossKind::SigmoidCrossEntropy, "sigmoid_cross_entropy",
            kernels::Loss::SigmoidCrossEntropy, LossCount::PerLogit},
    LossRow{LossKind::SigmoidCrossEntropyOverLabels, "sigmoid_cross_entropy_over_labels",
            kernels::Loss::SigmoidCrossEntropy, LossCount::MeanPerRow},
    LossRow{LossKind::SoftmaxCrossEntropy, "softmax_cross_entropy",
            kernels::Loss::SoftmaxCrossEntropy, LossCount::PerRow},
    LossRow{LossKind::SquaredError, "squared_error", kernels::Loss::SquaredError,
            LossCount::PerLogit},
    LossRow{LossKind::PoissonFull, "poisson_full", kernels::Loss::PoissonFull, LossCount::PerLogit},
    LossRow{LossKind::Poisson, "poisson", kernels::Loss::Poisson, LossCount::PerLogit},
};

} // namespace

std::span<const LossRow> lossCatalog()
{
    return kCatalog;
}

} // namespace cannery::losses
