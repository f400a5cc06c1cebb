// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/bodies/element.h"

#include <cmath>
#include <limits>

namespace cannery::kernels::bodies {

/// What the gradient of an element is multiplied by.
CANNERY_HOST_DEVICE inline float gradientScale(const LossOf& loss, Place place)
{
    const float scale = loss.meanOf.cursor == nullptr
                            ? loss.gradientScale
                            : static_cast<float>(loss.gradientScale / divisorOf(loss.meanOf));
    if (loss.weights.data == nullptr) {
        return scale;
    }
    const std::int64_t col = loss.weights.cols == 1 ? 0 : place.col;
    return element(loss.weights, {place.row, col}) * scale;
}

template <typename Formula>
struct ElementLossBody
{
    LossOf loss;

    CANNERY_HOST_DEVICE void operator()(std::int64_t index) const
    {
        const Place place = placeOf(index, loss.logits.cols);
        const float z = element(loss.logits, place);
        const float y = (element(loss.labels, place) - loss.labelOffset) / loss.labelScale;
        const float scale = gradientScale(loss, place);
        element(loss.losses, place) = Formula::value(z, y);
        if (loss.logitsGrad.data != nullptr) {
            element(loss.logitsGrad, place) = Formula::slope(z, y) * scale;
        }
    }
};

/// One block for each row. NaN for a label that is not a class.
struct SoftmaxLossBody
{
    static constexpr int kThreads = 128;
    static constexpr int kHalvings = halvings(kThreads);
    struct Shared
    {
        float largest[kThreads];
        double sums[kThreads];
    };

    LossOf loss;

    CANNERY_HOST_DEVICE int phases() const { return 2 * kHalvings + 4; }

    CANNERY_HOST_DEVICE void operator()(int phase, int thread, std::int64_t row,
                                        Shared& shared) const
    {
        if (phase == 0) {
            shared.largest[thread] = largest(row, thread);
        } else if (phase <= kHalvings) {
            const int half = kThreads >> phase;
            if (thread < half && shared.largest[thread + half] > shared.largest[thread]) {
                shared.largest[thread] = shared.largest[thread + half];
            }
        } else if (phase == kHalvings + 1) {
            shared.sums[thread] = sum(row, thread, shared.largest[0]);
        } else if (phase <= 2 * kHalvings + 1) {
            const int half = kThreads >> (phase - kHalvings - 1);
            if (thread < half) {
                shared.sums[thread] += shared.sums[thread + half];
            }
        } else if (phase == 2 * kHalvings + 2) {
            if (thread == 0) {
                keepLoss(row, shared);
            }
        } else if (loss.logitsGrad.data != nullptr) {
            keepGradients(row, thread, shared);
        }
    }

private:
    CANNERY_HOST_DEVICE float largest(std::int64_t row, int thread) const
    {
        float found = -std::numeric_limits<float>::infinity();
        for (std::int64_t c = thread; c < loss.logits.cols; c += kThreads) {
            const float z = element(loss.logits, {row, c});
            found = z > found ? z : found;
        }
        return found;
    }

    CANNERY_HOST_DEVICE double sum(std::int64_t row, int thread, float maximum) const
    {
        double powers = 0;
        for (std::int64_t c = thread; c < loss.logits.cols; c += kThreads) {
            powers += exponential(element(loss.logits, {row, c}) - maximum);
        }
        return powers;
    }

    CANNERY_HOST_DEVICE bool isClass(float label) const
    {
        return label >= 0 && label < static_cast<float>(loss.logits.cols);
    }

    CANNERY_HOST_DEVICE void keepLoss(std::int64_t row, const Shared& shared) const
    {
        const float label = element(loss.labels, {row, 0});
        float& target = element(loss.losses, {row, 0});
        if (!isClass(label)) {
            target = std::numeric_limits<float>::quiet_NaN();
            return;
        }
        const float z = element(loss.logits, {row, static_cast<std::int64_t>(label)});
        target = std::log(static_cast<float>(shared.sums[0])) + (shared.largest[0] - z);
    }

    CANNERY_HOST_DEVICE void keepGradients(std::int64_t row, int thread, const Shared& shared) const
    {
        const float label = element(loss.labels, {row, 0});
        const std::int64_t target = isClass(label) ? static_cast<std::int64_t>(label) : -1;
        const float scale =
            target < 0 ? std::numeric_limits<float>::quiet_NaN() : gradientScale(loss, {row, 0});
        const auto powers = static_cast<float>(shared.sums[0]);
        for (std::int64_t c = thread; c < loss.logits.cols; c += kThreads) {
            const float power = exponential(element(loss.logits, {row, c}) - shared.largest[0]);
            element(loss.logitsGrad, {row, c}) =
                (power / powers - (c == target ? 1.0F : 0.0F)) * scale;
        }
    }
};

/// The same for few classes: one thread has a row.
struct NarrowSoftmaxLossBody
{
    static constexpr std::int64_t kMostClasses = 32;

    LossOf loss;

    CANNERY_HOST_DEVICE void operator()(std::int64_t row) const
    {
        const std::int64_t cols = loss.logits.cols;
        const float label = element(loss.labels, {row, 0});
        const bool valid = label >= 0 && label < static_cast<float>(cols);
        float largest = -std::numeric_limits<float>::infinity();
        for (std::int64_t c = 0; c < cols; ++c) {
            const float z = element(loss.logits, {row, c});
            largest = z > largest ? z : largest;
        }
        float sum = 0;
        for (std::int64_t c = 0; c < cols; ++c) {
            sum += exponential(element(loss.logits, {row, c}) - largest);
        }
        const std::int64_t target = valid ? static_cast<std::int64_t>(label) : 0;
        const float nan = std::numeric_limits<float>::quiet_NaN();
        element(loss.losses, {row, 0}) =
            valid ? std::log(sum) + (largest - element(loss.logits, {row, target})) : nan;
        if (loss.logitsGrad.data == nullptr) {
            return;
        }
        const float scale = valid ? gradientScale(loss, {row, 0}) : nan;
        for (std::int64_t c = 0; c < cols; ++c) {
            const float power = exponential(element(loss.logits, {row, c}) - largest);
            element(loss.logitsGrad, {row, c}) =
                (power / sum - (c == target ? 1.0F : 0.0F)) * scale;
        }
    }
};

template <typename Formula, typename Launcher>
void elementLoss(Launcher& launcher, const LossOf& loss)
{
    launcher.forEach(loss.logits.rows * loss.logits.cols, ElementLossBody<Formula>{loss});
}

template <typename Launcher>
void run(Launcher& launcher, const LossOf& loss)
{
    switch (loss.loss) {
    case Loss::SigmoidCrossEntropy:
        return elementLoss<SigmoidCrossEntropyFormula>(launcher, loss);
    case Loss::SoftmaxCrossEntropy:
        if (loss.logits.cols <= NarrowSoftmaxLossBody::kMostClasses) {
            return launcher.forEach(loss.logits.rows, NarrowSoftmaxLossBody{loss});
        }
        return launcher.forEachBlock(loss.logits.rows, SoftmaxLossBody{loss});
    case Loss::SquaredError:
        return elementLoss<SquaredErrorFormula>(launcher, loss);
    case Loss::PoissonFull:
        return elementLoss<PoissonFullFormula>(launcher, loss);
    case Loss::Poisson:
        return elementLoss<PoissonFormula>(launcher, loss);
    }
}

} // namespace cannery::kernels::bodies
