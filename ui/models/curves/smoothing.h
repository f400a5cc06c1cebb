// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/curves/chart_options.h"
#include "ui/models/curves/min_max_pyramid.h"
#include "ui/models/curves/series.h"

#include <span>
#include <vector>

namespace cannery::ui {

/// The smoothed values of one series, computed from all values, not the drawn ones, and each only
/// from values up to it, so that new values never change smoothed ones. The first smoothed value is
/// the first value, a constant stays constant, and non-finite values are skipped and remain gaps.
///
/// Exponential: y ← y + (1−w)/(1−wⁿ)·(x − y) with n the number of values so far, which is
/// TensorBoard's de-biased average (yₙ = (1−w)Σ wⁿ⁻ⁱxᵢ / (1−wⁿ)) without its rounding on constants.
/// Mean and median are of the last `window` finite values. A resumed run's segment continues from
/// the state at the point where it took over.
class Smoother
{
public:
    /// Starts over if the options have changed.
    void setSmoothing(const Smoothing& smoothing);
    const Smoothing& smoothing() const { return m_smoothing; }

    /// Takes in new values, at most `budget`, and subtracts them from the budget. True when all are
    /// in.
    bool update(const Series& series, qsizetype& budget);

    /// The number of values taken in.
    std::span<const float> values() const { return m_values; }
    const MinMaxPyramid& pyramid() const { return m_pyramid; }

private:
    /// The state carried from value to value.
    struct Exponential
    {
        double average = 0;
        double weightPower = 1; ///< wⁿ
    };

    void startSegment(const Series& series, size_t segment);
    float exponential(float value);
    float windowed(float value);
    float meanOfWindow() const;

    Smoothing m_smoothing;
    std::vector<float> m_values;
    MinMaxPyramid m_pyramid;
    size_t m_segment = 0;
    bool m_segmentBegun = false;
    Exponential m_exponential;
    std::vector<float> m_window; ///< the last finite values, as a ring
    size_t m_windowNext = 0;
    std::vector<float> m_sorted;      ///< the same, ascending, for the median
    std::vector<double> m_suffixSums; ///< for the previous filling of the ring
    double m_prefixSum = 0;           ///< for the current filling
    bool m_windowIsFull = false;
};

} // namespace cannery::ui
