// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace cannery::estimators {

/// The losses of SDCA, by TensorFlow's squared-loss.h and logistic-loss.h. `target` is the label,
/// of the logistic loss as -1 or 1; `wx` the logit.
///   squared:   (wx - y)^2 / 2      dual a (a / 2 - y)
///   logistic:  ln(1 + exp(-y wx))  dual ay ln(ay) + (1 - ay) ln(1 - ay)
enum class SdcaLoss
{
    Squared,
    Logistic,
};

/// An example at the time of its visit.
struct SdcaVisit
{
    double target = 0.0;
    double weight = 1.0; ///< of the example
    double dual = 0.0;   ///< before it
    double wx = 0.0;     ///< with the batch's changes so far, times the partitions
    double norm = 0.0;   ///< squared length / L2, times the partitions
};

/// The dual variable that minimizes the dual problem along its own coordinate (Shalev-Shwartz,
/// Zhang, JMLR 2013; with several partitions: Ma et al., arXiv:1502.03508). Of the logistic loss by
/// ten of Newton's steps for x in dual = (1 + tanh x) / 2y.
double updatedDual(SdcaLoss loss, const SdcaVisit& visit);
double primalLoss(SdcaLoss loss, double wx, double target);
double dualLoss(SdcaLoss loss, double dual, double target);
/// d primal / d wx, and the inverse of the Lipschitz constant of it: for adaptive sampling.
double primalDerivative(SdcaLoss loss, double wx, double target);
double smoothness(SdcaLoss loss);

} // namespace cannery::estimators
