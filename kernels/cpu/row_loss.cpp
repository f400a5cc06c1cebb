// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/row_loss.h"

#include "kernels/device/row_blocks.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cannery::kernels::reference {

namespace {

/// A row of a batch: outputs as double, labels as the loss compares them, and where its gradient
/// goes.
class LossRow
{
public:
    LossRow(const RowLossRule& rule, const RowLossArguments& arguments, std::int64_t row)
        : m_rule(rule), m_outputs(arguments.outputs.at(row)), m_labels(arguments.labels.at(row)),
          m_cols(arguments.outputs.cols), m_areSigns(arguments.labelsAreBits)
    {
        if (arguments.outputsGrad.data != nullptr) {
            m_grad = arguments.outputsGrad.at(row);
            const float weight =
                arguments.weights.data == nullptr ? 1.0F : *arguments.weights.at(row);
            m_scale = static_cast<double>(weight) * static_cast<double>(arguments.gradientScale);
        }
    }

    const RowLossRule& rule() const { return m_rule; }
    std::int64_t cols() const { return m_cols; }
    double output(std::int64_t col) const { return m_outputs[col]; }
    double id() const { return m_labels[0]; }
    bool hasClass() const { return id() >= 0 && id() < static_cast<double>(m_cols); }
    std::int64_t classId() const { return static_cast<std::int64_t>(id()); }
    double label(std::int64_t col) const
    {
        if (m_rule.labelsAreIds) {
            return hasClass() ? (classId() == col ? 1.0 : 0.0)
                              : std::numeric_limits<double>::quiet_NaN();
        }
        return m_labels[col];
    }
    /// 0 and 1 as -1 and 1, if the batch has no other labels.
    double sign(std::int64_t col) const { return m_areSigns ? 2 * label(col) - 1 : label(col); }
    bool wantsGradient() const { return m_grad != nullptr; }
    void setSlope(std::int64_t col, double slope) const
    {
        m_grad[col] = static_cast<float>(slope * m_scale);
    }

private:
    const RowLossRule& m_rule;
    const float* m_outputs;
    const float* m_labels;
    std::int64_t m_cols;
    bool m_areSigns;
    float* m_grad = nullptr;
    double m_scale = 1.0;
};

/// The mean of one element's formula.
template <typename Formula, typename LabelOf>
double meanOver(const LossRow& row, LabelOf labelOf)
{
    const LossConstants& constants = row.rule().constants;
    const auto count = static_cast<double>(row.cols());
    double sum = 0;
    for (std::int64_t col = 0; col < row.cols(); ++col) {
        const double y = labelOf(col);
        sum += Formula::value(row.output(col), y, constants);
        if (row.wantsGradient()) {
            row.setSlope(col, Formula::slope(row.output(col), y, constants) / count);
        }
    }
    return sum / count;
}

template <typename Formula>
double mean(const LossRow& row)
{
    return meanOver<Formula>(row, [&](std::int64_t col) { return row.label(col); });
}

template <typename Formula>
double meanOfSigns(const LossRow& row)
{
    return meanOver<Formula>(row, [&](std::int64_t col) { return row.sign(col); });
}

/// Labels are drawn towards one half.
template <typename Formula>
double meanOfChances(const LossRow& row)
{
    const double smoothing = row.rule().constants.labelSmoothing;
    return meanOver<Formula>(
        row, [&](std::int64_t col) { return row.label(col) * (1 - smoothing) + smoothing / 2; });
}

/// sum y ln(y / p), both clipped to [epsilon, 1]
double klDivergence(const LossRow& row)
{
    double sum = 0;
    for (std::int64_t col = 0; col < row.cols(); ++col) {
        const double y = std::clamp(row.label(col), kLossEpsilon, 1.0);
        const double p = std::clamp(row.output(col), kLossEpsilon, 1.0);
        sum += y * std::log(y / p);
        if (row.wantsGradient()) {
            row.setSlope(col, p == row.output(col) ? -y / p : 0.0);
        }
    }
    return sum;
}

/// -sum of products of both vectors, each divided by sqrt(max(its sum of squares, 1e-12))
double cosineSimilarity(const LossRow& row)
{
    constexpr double kLeast = 1e-12F;
    double ofLabels = 0;
    double ofOutputs = 0;
    double product = 0;
    for (std::int64_t col = 0; col < row.cols(); ++col) {
        ofLabels += row.label(col) * row.label(col);
        ofOutputs += row.output(col) * row.output(col);
        product += row.label(col) * row.output(col);
    }
    const double labelLength = std::sqrt(std::max(ofLabels, kLeast));
    const double outputLength = std::sqrt(std::max(ofOutputs, kLeast));
    const double cosine = product / labelLength / outputLength;
    if (row.wantsGradient()) {
        // A vector shorter than the least length has a fixed divisor.
        const double turned = ofOutputs >= kLeast ? cosine / outputLength : 0.0;
        for (std::int64_t col = 0; col < row.cols(); ++col) {
            row.setSlope(col,
                         (row.output(col) * turned - row.label(col) / labelLength) / outputLength);
        }
    }
    return -cosine;
}

/// max(max((1 - y) p) - sum y p + 1, 0)
double categoricalHinge(const LossRow& row)
{
    double right = 0;
    double other = -std::numeric_limits<double>::infinity();
    double equal = 0;
    for (std::int64_t col = 0; col < row.cols(); ++col) {
        right += row.label(col) * row.output(col);
        const double wrong = (1 - row.label(col)) * row.output(col);
        equal = wrong > other ? 1 : equal + (wrong == other ? 1 : 0);
        other = wrong > other ? wrong : other;
    }
    const double margin = other - right + 1;
    if (row.wantsGradient()) {
        for (std::int64_t col = 0; col < row.cols(); ++col) {
            const double y = row.label(col);
            // Equal maxima share the gradient.
            const double share = (1 - y) * row.output(col) == other ? (1 - y) / equal : 0.0;
            row.setSlope(col, margin >= 0 ? share - y : 0.0);
        }
    }
    return std::isnan(right) ? right : std::max(margin, 0.0);
}

/// exp(z - largest) of a row, and the sum of them: what softmax divides.
struct Powers
{
    explicit Powers(const LossRow& row)
    {
        for (std::int64_t col = 0; col < row.cols(); ++col) {
            largest = std::max(largest, row.output(col));
        }
        for (std::int64_t col = 0; col < row.cols(); ++col) {
            sum += std::exp(row.output(col) - largest);
        }
    }
    double share(double z) const { return std::exp(z - largest) / sum; }
    double logarithm() const { return std::log(sum) + largest; }

    double largest = -std::numeric_limits<double>::infinity();
    double sum = 0;
};

double smoothed(const LossRow& row, std::int64_t col)
{
    const double smoothing = row.rule().constants.labelSmoothing;
    return row.label(col) * (1 - smoothing) + smoothing / static_cast<double>(row.cols());
}

double crossEntropyOfLogits(const LossRow& row)
{
    const Powers powers(row);
    double sum = 0;
    for (std::int64_t col = 0; col < row.cols(); ++col) {
        const double y = smoothed(row, col);
        sum += y * (powers.logarithm() - row.output(col));
        if (row.wantsGradient()) {
            // TensorFlow's, for labels that add up to 1.
            row.setSlope(col, powers.share(row.output(col)) - y);
        }
    }
    return sum;
}

/// sum over classes of term(q, y), q the clipped share of a class in the row's total. `chanceOf`
/// gives the numbers that are shared out, `isSoftmax` says that they are a softmax of the outputs.
template <typename ChanceOf, typename Term, typename Slope>
double sumOfShares(const LossRow& row, bool isSoftmax, ChanceOf chanceOf, Term term, Slope slope)
{
    double total = 0;
    for (std::int64_t col = 0; col < row.cols(); ++col) {
        total += chanceOf(col);
    }
    double sum = 0;
    double common = 0; // what each number changes through the total
    // Float32, because the clip's bounds are numbers of float32 and decide on the gradient.
    const auto shareOf = [&](std::int64_t col) {
        return static_cast<double>(static_cast<float>(chanceOf(col) / total));
    };
    const auto slopeOf = [&](std::int64_t col) {
        const double share = shareOf(col);
        return isWithinChance(share) ? slope(share, smoothed(row, col)) : 0.0;
    };
    for (std::int64_t col = 0; col < row.cols(); ++col) {
        sum += term(clippedChance(shareOf(col)), smoothed(row, col));
        if (row.wantsGradient()) {
            common += slopeOf(col) * chanceOf(col) / total;
        }
    }
    for (std::int64_t col = 0; row.wantsGradient() && col < row.cols(); ++col) {
        const double byChance = (slopeOf(col) - common) / total;
        // Of a softmax s: s (slope - sum of slope s), whose sum is 0 already.
        row.setSlope(col, isSoftmax ? byChance * chanceOf(col) : byChance);
    }
    return sum;
}

double categoricalCrossEntropy(const LossRow& row)
{
    if (row.rule().fromLogits) {
        return crossEntropyOfLogits(row);
    }
    return sumOfShares(
        row, false, [&](std::int64_t col) { return row.output(col); },
        [](double q, double y) { return -y * std::log(q); },
        [](double q, double y) { return -y / q; });
}

/// sum alpha (1 - q)^gamma (-y ln q)
double categoricalFocalCrossEntropy(const LossRow& row)
{
    const double alpha = row.rule().constants.alpha;
    const double gamma = row.rule().constants.gamma;
    const auto term = [&](double q, double y) {
        return -alpha * std::pow(1 - q, gamma) * y * std::log(q);
    };
    const auto slope = [&](double q, double y) {
        // 1 - q is above 0: q is clipped.
        return alpha * y *
               (gamma * std::pow(1 - q, gamma - 1) * std::log(q) - std::pow(1 - q, gamma) / q);
    };
    if (!row.rule().fromLogits) {
        return sumOfShares(
            row, false, [&](std::int64_t col) { return row.output(col); }, term, slope);
    }
    const Powers powers(row);
    return sumOfShares(
        row, true, [&](std::int64_t col) { return powers.share(row.output(col)); }, term, slope);
}

/// Of logits, or of probabilities that are clipped, made logarithms, and normalized again.
double sparseCrossEntropy(const LossRow& row)
{
    if (!row.hasClass()) {
        for (std::int64_t col = 0; row.wantsGradient() && col < row.cols(); ++col) {
            row.setSlope(col, std::numeric_limits<double>::quiet_NaN());
        }
        return std::numeric_limits<double>::quiet_NaN();
    }
    if (row.rule().fromLogits) {
        return crossEntropyOfLogits(row);
    }
    double sum = 0;
    for (std::int64_t col = 0; col < row.cols(); ++col) {
        sum += clippedChance(row.output(col));
    }
    for (std::int64_t col = 0; row.wantsGradient() && col < row.cols(); ++col) {
        const double p = row.output(col);
        row.setSlope(col, isWithinChance(p) ? 1 / sum - row.label(col) / p : 0.0);
    }
    return std::log(sum) - std::log(clippedChance(row.output(row.classId())));
}

double binaryCrossEntropy(const LossRow& row)
{
    return row.rule().fromLogits ? meanOfChances<LogitCrossEntropy>(row)
                                 : meanOfChances<ChanceCrossEntropy>(row);
}

double binaryFocalCrossEntropy(const LossRow& row)
{
    return row.rule().fromLogits ? meanOfChances<FocalCrossEntropy<LogitCrossEntropy>>(row)
                                 : meanOfChances<FocalCrossEntropy<ChanceCrossEntropy>>(row);
}

using RowFormula = double (*)(const LossRow&);

/// In the order of RowLoss.
constexpr RowFormula kFormulas[] = {
    mean<SquaredDistance>,
    mean<AbsoluteDistance>,
    mean<PercentDistance>,
    mean<LogarithmicDistance>,
    mean<HuberDistance>,
    mean<LogCoshDistance>,
    mean<PoissonDistance>,
    klDivergence,
    cosineSimilarity,
    meanOfSigns<HingeDistance>,
    meanOfSigns<SquaredHingeDistance>,
    categoricalHinge,
    binaryCrossEntropy,
    binaryFocalCrossEntropy,
    categoricalCrossEntropy,
    categoricalFocalCrossEntropy,
    sparseCrossEntropy,
};
static_assert(std::size(kFormulas) == kRowLossCount);

void runRowLoss(ThreadPool& pool, const RowLossRule& rule, const RowLossArguments& arguments)
{
    const RowFormula formula = kFormulas[static_cast<std::size_t>(rule.loss)];
    const std::int64_t cols = arguments.outputs.cols;
    forEachRowBlock(pool, arguments.outputs.rows, cols, [&](BlockRange block, int) {
        for (std::int64_t r = block.first; r < block.first + block.count; ++r) {
            const LossRow row(rule, arguments, r);
            if (rule.ignoredClass && row.id() == static_cast<double>(*rule.ignoredClass)) {
                arguments.losses.at(r)[0] = 0;
                for (std::int64_t col = 0; row.wantsGradient() && col < cols; ++col) {
                    row.setSlope(col, 0);
                }
                continue;
            }
            arguments.losses.at(r)[0] = static_cast<float>(formula(row));
        }
    });
}

} // namespace

const RowLossKernels kRowLoss = {runRowLoss};

} // namespace cannery::kernels::reference
