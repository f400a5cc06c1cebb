// SPDX-License-Identifier: Apache-2.0
#include "core/trees/histogram_split.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <span>
#include <vector>

namespace cannery::trees {

namespace {

/// Average rows without a gradient that are added to a category, for its place in the order, and to
/// each side of a split by categories, of which there are many.
constexpr double kCategorySmoothing = 20.0;
/// Categories of fewer rows stay on the side of the rest.
constexpr std::int64_t kCategoryRows = 10;
constexpr std::size_t kMostCategories = 32;
/// Sums of second derivatives up to this count as 0.
constexpr double kLeastCurvature = 1e-15;

/// A bin of categories, in the order of its leaf value.
struct RankedBin
{
    double ratio = 0.0;
    std::uint8_t bin = 0;

    auto operator<=>(const RankedBin&) const = default;
};

/// The search for the best split of one column.
class ColumnSearch
{
public:
    ColumnSearch(const LeafScore& score, const HistogramGrowthOptions& options,
                 const SplitQuestion& question, HistogramSplit& best)
        : m_score(score), m_options(options), m_question(question), m_best(best),
          m_direction(options.monotone.empty() ? 0 : options.monotone[question.index]),
          m_parent(parentScore() + options.complexity)
    {}

    void searchNumber()
    {
        // One pass from the left: each bin is added, and the split behind it tried with the missing
        // values on either side.
        const std::int64_t rest = m_question.column.restBin();
        const GradientTotals missing = bin(rest);
        GradientTotals left;
        std::int64_t taken = -1;
        for (std::int64_t b = 0; b < rest; ++b) {
            const GradientTotals here = bin(b);
            if (here.rows == 0) {
                // A cut behind an empty bin divides the rows as the one before it does.
                continue;
            }
            left = left + here;
            if (isBetter(left)) {
                // No missing row has been seen here: those that come later follow the larger side.
                takeNumber(left, missing.rows == 0 && 2 * left.rows >= m_question.totals.rows);
                taken = b;
            }
            if (missing.rows != 0 && isBetter(left + missing)) {
                takeNumber(left + missing, true);
                taken = b;
            }
        }
        if (taken >= 0) {
            cutBehind(taken);
        }
    }

    void searchCategories()
    {
        // Shrinks the ratio of rare categories towards 0 before they are sorted, in proportion to
        // the mean second derivative of a row.
        m_l2More = kCategorySmoothing * m_score.hessian(m_question.totals) /
                   static_cast<double>(m_question.totals.rows);
        std::vector<RankedBin> order;
        for (std::int64_t b = 0; b < m_question.column.bins(); ++b) {
            const GradientTotals totals = bin(b);
            if (totals.rows >= kCategoryRows) {
                const double curvature = m_score.hessian(totals) + m_l2More;
                // Sorted by the optimal leaf value, the best subset is a prefix (Fisher, 1958),
                // which is exact without the penalty and nearly so with it.
                order.push_back({curvature > 0 ? m_score.gradient(totals) / curvature : 0.0,
                                 static_cast<std::uint8_t>(b)});
            }
        }
        std::sort(order.begin(), order.end());
        // Prefixes are limited in length, so both ends are tried.
        takePrefixes(order);
        takePrefixes({order.rbegin(), order.rend()});
    }

private:
    GradientTotals bin(std::int64_t index) const
    {
        const kernels::HistogramSums& sums = m_question.sums;
        return {sums.gradients[index], sums.hessians[index], sums.rows[index]};
    }

    double parentScore() const
    {
        return m_options.monotone.empty() ? m_score.score(m_question.totals)
                                          : m_score.score(m_question.totals, m_question.bounds);
    }

    /// Leaves the gain of this split in m_gain if it is better than the best; NaN never is.
    bool isBetter(const GradientTotals& left)
    {
        const GradientTotals right = m_question.totals - left;
        if (left.rows < m_options.minRowsPerLeaf || right.rows < m_options.minRowsPerLeaf ||
            !m_score.isEnough(left) || !m_score.isEnough(right)) {
            return false;
        }
        // The score without a penalty is a closed form; bounds need the value itself.
        m_gain = m_options.monotone.empty()
                     ? m_score.score(left, m_l2More) + m_score.score(right, m_l2More) - m_parent
                     : boundedGain(left, right);
        return m_gain > m_best.gain;
    }

    double boundedGain(const GradientTotals& left, const GradientTotals& right) const
    {
        const auto valueOf = [this](const GradientTotals& totals) {
            return m_score.value(m_score.gradient(totals), m_score.hessian(totals),
                                 m_question.bounds);
        };
        // A split in the wrong direction gains nothing.
        if (m_direction != 0 && m_direction * (valueOf(right) - valueOf(left)) < 0) {
            return 0.0;
        }
        return m_score.score(left, m_question.bounds) + m_score.score(right, m_question.bounds) -
               m_parent;
    }

    void takeNumber(const GradientTotals& left, bool restGoesLeft)
    {
        m_best.gain = m_gain;
        m_best.column = m_question.index;
        m_best.left = left;
        m_best.leftBins.reset();
        m_best.leftBins.set(static_cast<std::size_t>(m_question.column.restBin()), restGoesLeft);
    }

    /// Cuts in the middle of the empty bins between the last one on the left and the first one on
    /// the right, for rows that are yet to come; behind all bins if there is none on the right.
    void cutBehind(std::int64_t lastLeft)
    {
        const std::int64_t rest = m_question.column.restBin();
        std::int64_t right = lastLeft + 1;
        while (right < rest && bin(right).rows == 0) {
            ++right;
        }
        m_best.thresholdBin = right == rest ? rest - 1 : (lastLeft + right - 1) / 2;
        for (std::int64_t b = 0; b <= m_best.thresholdBin; ++b) {
            m_best.leftBins.set(static_cast<std::size_t>(b));
        }
    }

    void takePrefixes(const std::vector<RankedBin>& order)
    {
        GradientTotals left;
        // The last category stays on the other side, as the rest must not be alone.
        for (std::size_t i = 0; i + 1 < order.size() && i < kMostCategories; ++i) {
            left = left + bin(order[i].bin);
            if (isBetter(left)) {
                takeCategories(std::span(order).first(i + 1), left);
            }
        }
    }

    /// The rest goes right; so the sides change places if it is among these.
    void takeCategories(std::span<const RankedBin> bins, const GradientTotals& left)
    {
        m_best.gain = m_gain;
        m_best.column = m_question.index;
        m_best.leftBins.reset();
        for (const RankedBin& ranked : bins) {
            m_best.leftBins.set(ranked.bin);
        }
        m_best.left = left;
        // Unseen categories belong to the rest, and a node lists those that go left.
        if (m_best.leftBins.test(static_cast<std::size_t>(m_question.column.restBin()))) {
            m_best.leftBins.flip();
            m_best.left = m_question.totals - left;
        }
    }

    const LeafScore& m_score;
    const HistogramGrowthOptions& m_options;
    const SplitQuestion& m_question;
    HistogramSplit& m_best;
    int m_direction;
    double m_parent;
    double m_l2More = 0.0;
    double m_gain = 0.0;
};

} // namespace

double LeafScore::shrink(double gradient) const
{
    // Soft threshold of L1, on the gradient as in XGBoost.
    return std::copysign(std::max(0.0, std::abs(gradient) - m_l1), gradient);
}

double LeafScore::score(const GradientTotals& totals, double l2More) const
{
    const double shrunk = shrink(gradient(totals));
    const double curvature = hessian(totals) + m_l2 + l2More;
    return curvature > kLeastCurvature ? shrunk * shrunk / curvature : 0.0;
}

double LeafScore::value(double gradient, double hessian, const ValueBounds& bounds) const
{
    // The least hessian keeps steps finite where the loss is flat.
    const double curvature = std::max(hessian, m_leastHessian) + m_l2;
    const double value = curvature > kLeastCurvature ? -shrink(gradient) / curvature : 0.0;
    return std::clamp(value, bounds.lower, bounds.upper);
}

double LeafScore::score(const GradientTotals& totals, const ValueBounds& bounds) const
{
    const double w = value(gradient(totals), hessian(totals), bounds);
    const double curvature = hessian(totals) + m_l2;
    // The gain at a value that bounds may have moved off the optimum: -(2 G w + (H + l2) w² + 2 l1
    // |w|).
    return -(2 * gradient(totals) * w + curvature * w * w + 2 * m_l1 * std::abs(w));
}

void findSplit(const LeafScore& score, const HistogramGrowthOptions& options,
               const SplitQuestion& question, HistogramSplit& best)
{
    ColumnSearch search(score, options, question, best);
    if (question.column.isCategorical()) {
        search.searchCategories();
    } else {
        search.searchNumber();
    }
}

} // namespace cannery::trees
