// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/chart_options.h"
#include "ui/models/min_max_pyramid.h"
#include "ui/models/series.h"

#include <span>
#include <vector>

namespace cannery::ui {

/// The smoothed values of one series: of every value, not of drawn ones, and each from values up to
/// it only, so that arriving values never change smoothed ones. The first smoothed value is the
/// first value, a constant stays constant, and what is not finite is skipped and stays a gap.
///
/// Exponential: y ← y + (1−w)/(1−wⁿ)·(x − y) with n the number of values so far, which is
/// TensorBoard's de-biased average (yₙ = (1−w)Σ wⁿ⁻ⁱxᵢ / (1−wⁿ)) without its rounding on constants.
/// Mean and median are of the last `window` finite values. A resumed run's segment goes on from the
/// state at the point where it took over.
class Smoother
{
public:
    /// Starts anew when the smoothing is another one.
    void setSmoothing(const Smoothing& smoothing);
    const Smoothing& smoothing() const { return m_smoothing; }

    /// Takes in new values, at most `budget` of them, and takes them off the budget. True when all
    /// are in.
    bool update(const Series& series, qsizetype& budget);

    /// As many as were taken in.
    std::span<const float> values() const { return m_values; }
    const MinMaxPyramid& pyramid() const { return m_pyramid; }

private:
    /// What goes on from value to value.
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
    std::vector<float> m_window; ///< the last finite values, a ring
    size_t m_windowNext = 0;
    std::vector<float> m_sorted;      ///< the same, ascending, for the median
    std::vector<double> m_suffixSums; ///< of the previous filling of the ring
    double m_prefixSum = 0;           ///< of the current one
    bool m_windowIsFull = false;
};

} // namespace cannery::ui
