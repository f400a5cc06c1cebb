// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/trees/histogram_column.h"
#include "core/trees/histogram_growth.h"
#include "kernels/ops/gradient_histogram.h"

#include <bitset>
#include <cstdint>
#include <limits>

namespace cannery::trees {

/// Integer sums over some rows; exact, whatever the order.
struct GradientTotals
{
    std::int64_t gradient = 0;
    std::int64_t hessian = 0;
    std::int64_t rows = 0;

    GradientTotals operator+(const GradientTotals& other) const
    {
        return {gradient + other.gradient, hessian + other.hessian, rows + other.rows};
    }
    GradientTotals operator-(const GradientTotals& other) const
    {
        return {gradient - other.gradient, hessian - other.hessian, rows - other.rows};
    }
    bool operator==(const GradientTotals&) const = default;
};

/// What one step of the integers is worth.
struct GradientUnits
{
    double gradient = 1.0;
    double hessian = 1.0;
};

/// The values that the leaves below a node may have, so that a monotone column above keeps its
/// order.
struct ValueBounds
{
    double lower = -std::numeric_limits<double>::infinity();
    double upper = std::numeric_limits<double>::infinity();
};

/// The best split of a node's rows.
struct HistogramSplit
{
    double gain = 0.0; ///< 0 if there is none
    std::int32_t column = -1;
    std::bitset<kernels::kHistogramBins> leftBins;
    std::int64_t thresholdBin = 0; ///< of a number: the last bin to the left, but for the rest
    GradientTotals left;
};

/// What a leaf is worth: score = -(2 G w + (H + l2) w^2 + 2 l1 |w|), the least loss to second
/// order, doubled, at w = -shrink(G, l1) / (H + l2), as in TensorFlow's boosted trees and in
/// XGBoost (Chen and Guestrin 2016). A split gains score(left) + score(right) - score(node).
class LeafScore
{
public:
    /// `leastHessian`: see GrowthTarget.
    LeafScore(const HistogramGrowthOptions& options, const GradientUnits& units,
              double leastHessian = 0.0)
        : m_l1(options.l1), m_l2(options.l2), m_leastHessian(leastHessian), m_units(units)
    {}

    double gradient(const GradientTotals& totals) const
    {
        return static_cast<double>(totals.gradient) * m_units.gradient;
    }
    double hessian(const GradientTotals& totals) const
    {
        return static_cast<double>(totals.hessian) * m_units.hessian;
    }
    /// Whether the sum of second derivatives is enough for a leaf. Sums are of integers: one that
    /// is exactly enough may be a step short.
    bool isEnough(const GradientTotals& totals) const
    {
        return hessian(totals) + m_units.hessian >= m_leastHessian;
    }
    /// `l2More` is added to l2.
    double score(const GradientTotals& totals, double l2More = 0.0) const;
    /// The value of a leaf, without the learning rate.
    double value(double gradient, double hessian, const ValueBounds& bounds) const;
    /// Of a leaf whose value must be within bounds.
    double score(const GradientTotals& totals, const ValueBounds& bounds) const;

private:
    double shrink(double gradient) const;

    double m_l1;
    double m_l2;
    double m_leastHessian;
    GradientUnits m_units;
};

/// A node, as the search sees it. `sums` are those of one column: its bins from 0 on.
struct SplitQuestion
{
    const HistogramColumn& column;
    std::int32_t index = 0; ///< of the column
    kernels::HistogramSums sums;
    GradientTotals totals; ///< of the node
    ValueBounds bounds;
};

/// Replaces `best` by the best split of this column if it gains more. Numbers: between any two
/// bins, missing ones to either side. Categories: in the order of gradient / second derivative,
/// up to 32 from either end (Fisher 1958), with limits against chance like LightGBM's.
void findSplit(const LeafScore& score, const HistogramGrowthOptions& options,
               const SplitQuestion& question, HistogramSplit& best);

} // namespace cannery::trees
