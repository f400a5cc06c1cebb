// SPDX-License-Identifier: Apache-2.0
#include "core/estimators/sdca_loss.h"

#include <cmath>

namespace cannery::estimators {

namespace {

constexpr int kNewtonSteps = 10;

double timesItsLog(double value)
{
    return value > 0 ? value * std::log(value) : 0.0;
}

double logisticDual(const SdcaVisit& visit)
{
    const double norm = visit.norm * visit.weight;
    // Newton's method for the dual variable y = (1 + tanh x) / 2 / target, which keeps it within
    // its range; ten steps from 0, as in TensorFlow's logistic-loss.h.
    double x = 0;
    for (int step = 0; step < kNewtonSteps; ++step) {
        const double tanhX = std::tanh(x);
        const double value = -2 * visit.target * x - visit.wx -
                             norm * (0.5 * (1 + tanhX) / visit.target - visit.dual);
        const double slope = -2 * visit.target - norm * (1 - tanhX * tanhX) * 0.5 / visit.target;
        x -= value / slope;
    }
    return 0.5 * (1 + std::tanh(x)) / visit.target;
}

} // namespace

double updatedDual(SdcaLoss loss, const SdcaVisit& visit)
{
    if (loss == SdcaLoss::Logistic) {
        return logisticDual(visit);
    }
    // The closed form of squared-loss.h.
    return visit.dual + (visit.target - visit.dual - visit.wx) / (1 + visit.norm * visit.weight);
}

double primalLoss(SdcaLoss loss, double wx, double target)
{
    if (loss == SdcaLoss::Squared) {
        return 0.5 * (wx - target) * (wx - target);
    }
    const double margin = target * wx;
    // Both forms are log(1 + e^-margin); each avoids exp() of a large number.
    return margin > 0 ? std::log1p(std::exp(-margin)) : std::log1p(std::exp(margin)) - margin;
}

double dualLoss(SdcaLoss loss, double dual, double target)
{
    if (loss == SdcaLoss::Squared) {
        return dual * (0.5 * dual - target);
    }
    return timesItsLog(dual * target) + timesItsLog(1 - dual * target);
}

double primalDerivative(SdcaLoss loss, double wx, double target)
{
    if (loss == SdcaLoss::Squared) {
        return wx - target;
    }
    const double margin = target * wx;
    const double share =
        margin > 0 ? std::exp(-margin) / (1 + std::exp(-margin)) : 1 / (1 + std::exp(margin));
    return -share * target;
}

double smoothness(SdcaLoss loss)
{
    // The reciprocal of the bound of the second derivative: 1 for squares, 1 / 4 for the logistic
    // loss.
    return loss == SdcaLoss::Squared ? 1.0 : 4.0;
}

} // namespace cannery::estimators
