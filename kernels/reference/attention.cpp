// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/attention.h"
#include "kernels/ops/dropout.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace cannery::kernels::reference {

namespace {

/// The place of a number in a row [vectors, heads, width].
struct Place
{
    std::int64_t vector = 0;
    std::int64_t head = 0;
    std::int64_t d = 0;
};

/// Everything about a row, in double, by the definitions.
class Row
{
public:
    Row(ThreadPool& pool, const AttentionProblem& problem, const AttentionInputs& inputs,
        std::int64_t row)
        : m_problem(problem), m_inputs(inputs), m_row(row),
          m_kept(static_cast<std::size_t>(problem.heads * problem.queries * problem.keys), 1.0F)
    {
        const std::int64_t perRow = problem.heads * problem.queries;
        const MatrixView kept = matrixView(std::span<float>(m_kept), perRow, problem.keys);
        if (inputs.dropRate >= 1.0F) {
            std::ranges::fill(m_kept, 0.0F);
        } else if (inputs.dropRate > 0.0F) {
            kDropout.run(pool,
                         {.rate = inputs.dropRate,
                          .seed = inputs.seed,
                          .layer = inputs.layer,
                          .step = inputs.step,
                          .firstRow = (inputs.firstRow + static_cast<std::uint64_t>(row)) *
                                      static_cast<std::uint64_t>(perRow)},
                         kept, kept);
        }
    }

    double query(const Place& p) const { return at(m_inputs.query, p, m_problem.keyWidth); }
    double key(const Place& p) const { return at(m_inputs.key, p, m_problem.keyWidth); }
    double value(const Place& p) const { return at(m_inputs.value, p, m_problem.valueWidth); }

    double tangent(std::int64_t t, std::int64_t s, std::int64_t d) const
    {
        return std::tanh(double{m_inputs.scale} * (query({t, 0, d}) + key({s, 0, d})));
    }
    double product(std::int64_t t, std::int64_t s, std::int64_t head) const
    {
        double sum = 0;
        for (std::int64_t d = 0; d < m_problem.keyWidth; ++d) {
            sum += query({t, head, d}) * key({s, head, d});
        }
        return sum;
    }
    double kept(std::int64_t t, std::int64_t s, std::int64_t head) const
    {
        return m_kept[(head * m_problem.queries + t) * m_problem.keys + s];
    }
    /// Of the keys of a query.
    std::vector<double> shares(std::int64_t t, std::int64_t head) const
    {
        std::vector<double> scores;
        for (std::int64_t s = 0; s < m_problem.keys; ++s) {
            // Hidden scores are lowered in float: what they were is lost, as in TensorFlow.
            scores.push_back(isHidden(t, s) ? double{static_cast<float>(score(t, s, head)) - 1e9F}
                                            : score(t, s, head));
        }
        const double largest = scores.empty() ? 0.0 : *std::ranges::max_element(scores);
        double sum = 0;
        for (double& score : scores) {
            score = std::exp(score - largest);
            sum += score;
        }
        for (double& score : scores) {
            score /= sum;
        }
        return scores;
    }

private:
    double at(const ConstMatrixView& view, const Place& place, std::int64_t width) const
    {
        return view.at(m_row)[(place.vector * m_problem.heads + place.head) * width + place.d];
    }
    double score(std::int64_t t, std::int64_t s, std::int64_t head) const
    {
        if (m_problem.rule == ScoreRule::Product) {
            return double{m_inputs.scale} * product(t, s, head);
        }
        double sum = 0;
        for (std::int64_t d = 0; d < m_problem.keyWidth; ++d) {
            sum += double{m_inputs.weights[d]} * tangent(t, s, d);
        }
        return sum;
    }
    bool isHidden(std::int64_t t, std::int64_t s) const
    {
        const ConstMatrixView& mask = m_inputs.mask;
        const std::int64_t first = mask.cols == m_problem.keys ? 0 : t * m_problem.keys;
        return (m_problem.isCausal && s > t) ||
               (mask.data != nullptr && mask.at(m_row)[first + s] == 0.0F);
    }

    const AttentionProblem& m_problem;
    const AttentionInputs& m_inputs;
    std::int64_t m_row;
    std::vector<float> m_kept; ///< [heads, queries, keys]: 0, or what a share is scaled up by
};

void forward(ThreadPool& pool, const AttentionProblem& problem, const AttentionInputs& inputs,
             MatrixView dst)
{
    for (std::int64_t r = 0; r < dst.rows; ++r) {
        const Row row(pool, problem, inputs, r);
        for (std::int64_t t = 0; t < problem.queries; ++t) {
            for (std::int64_t head = 0; head < problem.heads; ++head) {
                const std::vector<double> shares = row.shares(t, head);
                for (std::int64_t d = 0; d < problem.valueWidth; ++d) {
                    double sum = 0;
                    for (std::int64_t s = 0; s < problem.keys; ++s) {
                        sum += shares[s] * row.kept(t, s, head) * row.value({s, head, d});
                    }
                    dst.at(r)[(t * problem.heads + head) * problem.valueWidth + d] =
                        static_cast<float>(sum);
                }
            }
        }
    }
}

/// Gradients of one row in double, in the layout of the row.
struct Sums
{
    std::vector<double> query;
    std::vector<double> key;
    std::vector<double> value;
    std::vector<double> weights;
    std::vector<double> scale;
};

/// Adds what a score's gradient leads to.
void addScore(const AttentionProblem& problem, const AttentionInputs& inputs, const Row& row,
              std::int64_t t, std::int64_t s, std::int64_t head, double grad, Sums& sums)
{
    const std::int64_t width = problem.keyWidth;
    const double scale = inputs.scale;
    if (problem.rule == ScoreRule::Product) {
        sums.scale[0] += grad * row.product(t, s, head);
    }
    for (std::int64_t d = 0; d < width; ++d) {
        double& query = sums.query[(t * problem.heads + head) * width + d];
        double& key = sums.key[(s * problem.heads + head) * width + d];
        if (problem.rule == ScoreRule::Product) {
            query += grad * scale * row.key({s, head, d});
            key += grad * scale * row.query({t, head, d});
            continue;
        }
        const double bent = row.tangent(t, s, d);
        const double inner = grad * double{inputs.weights[d]} * (1 - bent * bent);
        query += inner * scale;
        key += inner * scale;
        sums.weights[d] += grad * bent;
        sums.scale[d] += inner * (row.query({t, 0, d}) + row.key({s, 0, d}));
    }
}

void addHead(const AttentionProblem& problem, const AttentionInputs& inputs, const Row& row,
             std::int64_t head, const float* dstGrad, Sums& sums)
{
    const std::int64_t width = problem.valueWidth;
    for (std::int64_t t = 0; t < problem.queries; ++t) {
        const std::vector<double> shares = row.shares(t, head);
        const float* grad = dstGrad + (t * problem.heads + head) * width;
        std::vector<double> shareGrads(shares.size());
        double mean = 0;
        for (std::int64_t s = 0; s < problem.keys; ++s) {
            const double kept = row.kept(t, s, head);
            for (std::int64_t d = 0; d < width; ++d) {
                sums.value[(s * problem.heads + head) * width + d] +=
                    shares[s] * kept * double{grad[d]};
                shareGrads[s] += kept * double{grad[d]} * row.value({s, head, d});
            }
            mean += shareGrads[s] * shares[s];
        }
        for (std::int64_t s = 0; s < problem.keys; ++s) {
            addScore(problem, inputs, row, t, s, head, shares[s] * (shareGrads[s] - mean), sums);
        }
    }
}

void store(const std::vector<double>& sums, const MatrixView& view, std::int64_t row)
{
    for (std::int64_t c = 0; c < view.cols && view.data != nullptr; ++c) {
        view.at(row)[c] = static_cast<float>(sums[c]);
    }
}

void backward(ThreadPool& pool, const AttentionProblem& problem, const AttentionInputs& inputs,
              const AttentionGradients& gradients)
{
    const auto zeros = [](std::int64_t count) {
        return std::vector<double>(static_cast<std::size_t>(count));
    };
    for (std::int64_t r = 0; r < gradients.dstGrad.rows; ++r) {
        const Row row(pool, problem, inputs, r);
        Sums sums{zeros(problem.queries * problem.heads * problem.keyWidth),
                  zeros(problem.keys * problem.heads * problem.keyWidth),
                  zeros(problem.keys * problem.heads * problem.valueWidth), zeros(problem.keyWidth),
                  zeros(std::max<std::int64_t>(problem.keyWidth, 1))};
        for (std::int64_t head = 0; head < problem.heads; ++head) {
            addHead(problem, inputs, row, head, gradients.dstGrad.at(r), sums);
        }
        if (gradients.key.data == gradients.value.data) {
            for (std::size_t i = 0; i < sums.value.size(); ++i) {
                sums.value[i] += gradients.key.data == nullptr ? 0.0 : sums.key[i];
            }
        } else {
            store(sums.key, gradients.key, r);
        }
        store(sums.query, gradients.query, r);
        store(sums.value, gradients.value, r);
        store(sums.weights, gradients.weights, r);
        store(sums.scale, gradients.scale, r);
    }
}

} // namespace

const AttentionKernels kAttention = {forward, backward};

} // namespace cannery::kernels::reference
