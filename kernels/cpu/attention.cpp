// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/attention.h"

#include "kernels/cpu/softmax_row.h"
#include "kernels/device/row_blocks.h"
#include "kernels/math/elementary.h"
#include "kernels/ops/dropout.h"

#include <algorithm>
#include <type_traits>

namespace cannery::kernels::cpu {

namespace {

constexpr float kHidden = -1e9F;

/// The vectors of one head of one row; null data stays null.
template <typename T>
struct Vectors
{
    T* data = nullptr;
    std::int64_t stride = 0;

    T* operator[](std::int64_t index) const { return data + index * stride; }
    bool isEmpty() const { return data == nullptr; }
};

template <typename View>
auto vectorsOf(const View& view, std::int64_t row, std::int64_t head, std::int64_t heads,
               std::int64_t width)
{
    using T = std::remove_pointer_t<decltype(view.data)>;
    return view.data == nullptr ? Vectors<T>{}
                                : Vectors<T>{view.at(row) + head * width, heads * width};
}

void addScaled(float factor, const float* src, float* dst, std::int64_t count)
{
    for (std::int64_t i = 0; i < count; ++i) {
        dst[i] += factor * src[i];
    }
}

/// One head of one row.
class Head
{
public:
    Head(ThreadPool& pool, const AttentionProblem& problem, const AttentionInputs& inputs,
         std::int64_t item, int worker)
        : m_pool(&pool), m_problem(&problem), m_inputs(&inputs), m_row(item / problem.heads),
          m_head(item % problem.heads),
          m_query(vectorsOf(inputs.query, m_row, m_head, problem.heads, problem.keyWidth)),
          m_key(vectorsOf(inputs.key, m_row, m_head, problem.heads, problem.keyWidth)),
          m_value(vectorsOf(inputs.value, m_row, m_head, problem.heads, problem.valueWidth))
    {
        const auto keys = static_cast<std::size_t>(problem.keys);
        const std::span<float> scratch = pool.scratch(worker);
        m_shares = scratch.first(keys);
        m_kept = scratch.subspan(keys, keys);
        m_grads = scratch.subspan(2 * keys, keys);
    }

    void forward(MatrixView dst) const
    {
        const auto out = vectorsOf(dst, m_row, m_head, m_problem->heads, m_problem->valueWidth);
        for (std::int64_t t = 0; t < m_problem->queries; ++t) {
            share(t);
            std::fill_n(out[t], m_problem->valueWidth, 0.0F);
            const std::span<const float> weights = kept(t);
            for (std::int64_t s = 0; s < m_problem->keys; ++s) {
                addScaled(weights[s], m_value[s], out[t], m_problem->valueWidth);
            }
        }
    }

    void backward(const AttentionGradients& gradients) const
    {
        const std::int64_t heads = m_problem->heads;
        const Slopes slopes{
            .query = vectorsOf(gradients.query, m_row, m_head, heads, m_problem->keyWidth),
            .key = vectorsOf(gradients.key, m_row, m_head, heads, m_problem->keyWidth),
            .weights = vectorsOf(gradients.weights, m_row, 0, 1, gradients.weights.cols),
            .scale = vectorsOf(gradients.scale, m_row, 0, 1, gradients.scale.cols)};
        const auto value = vectorsOf(gradients.value, m_row, m_head, heads, m_problem->valueWidth);
        const auto dstGrad =
            vectorsOf(gradients.dstGrad, m_row, m_head, heads, m_problem->valueWidth);
        clear(slopes.query, m_problem->queries, m_problem->keyWidth);
        clear(slopes.key, m_problem->keys, m_problem->keyWidth);
        clear(value, m_problem->keys, m_problem->valueWidth);
        clear(slopes.weights, 1, gradients.weights.cols);
        clear(slopes.scale, 1, gradients.scale.cols);
        for (std::int64_t t = 0; t < m_problem->queries; ++t) {
            share(t);
            if (!value.isEmpty()) {
                const std::span<const float> weights = kept(t);
                for (std::int64_t s = 0; s < m_problem->keys; ++s) {
                    addScaled(weights[s], dstGrad[t], value[s], m_problem->valueWidth);
                }
            }
            scoreGradients(t, dstGrad[t]);
            for (std::int64_t s = 0; s < m_problem->keys; ++s) {
                passBack(t, s, m_grads[s], slopes);
            }
        }
    }

private:
    struct Slopes
    {
        Vectors<float> query;
        Vectors<float> key;
        Vectors<float> weights;
        Vectors<float> scale;
    };

    static void clear(const Vectors<float>& vectors, std::int64_t count, std::int64_t width)
    {
        for (std::int64_t i = 0; i < count && !vectors.isEmpty(); ++i) {
            std::fill_n(vectors[i], width, 0.0F);
        }
    }

    float scoreOf(std::int64_t t, std::int64_t s) const
    {
        const float* query = m_query[t];
        const float* key = m_key[s];
        const float scale = m_inputs->scale;
        if (m_problem->rule == ScoreRule::Product) {
            return scale * sumOfProducts(query, key, m_problem->keyWidth);
        }
        const std::span<const float> weights = m_inputs->weights;
        return sumOfTerms(m_problem->keyWidth, [&](std::int64_t d) {
            return weights[d] * hyperbolicTangent(scale * (query[d] + key[d]));
        });
    }

    bool isHidden(std::int64_t t, std::int64_t s) const
    {
        const ConstMatrixView& mask = m_inputs->mask;
        if (m_problem->isCausal && s > t) {
            return true;
        }
        const std::int64_t first = mask.cols == m_problem->keys ? 0 : t * m_problem->keys;
        return mask.data != nullptr && mask.at(m_row)[first + s] == 0.0F;
    }

    /// Softmax of the scores of a query.
    void share(std::int64_t t) const
    {
        for (std::int64_t s = 0; s < m_problem->keys; ++s) {
            m_shares[s] = scoreOf(t, s) + (isHidden(t, s) ? kHidden : 0.0F);
        }
        const float sum = softmaxPowers(m_shares, m_shares.data()).sum;
        for (float& share : m_shares) {
            share /= sum;
        }
    }

    /// dst = src where it is not dropped, scaled up.
    void drop(std::int64_t t, std::span<const float> src, std::span<float> dst) const
    {
        const auto row = (m_inputs->firstRow + static_cast<std::uint64_t>(m_row)) *
                             static_cast<std::uint64_t>(m_problem->heads) +
                         static_cast<std::uint64_t>(m_head);
        const DropoutMask mask{.rate = m_inputs->dropRate,
                               .seed = m_inputs->seed,
                               .layer = m_inputs->layer,
                               .step = m_inputs->step,
                               .firstRow = row * static_cast<std::uint64_t>(m_problem->queries) +
                                           static_cast<std::uint64_t>(t)};
        // A single row is not handed to other threads.
        dropoutKernels({.rows = 1, .cols = m_problem->keys})
            .run(*m_pool, mask, matrixView(src, 1, m_problem->keys),
                 matrixView(dst, 1, m_problem->keys));
    }

    std::span<const float> kept(std::int64_t t) const
    {
        if (m_inputs->dropRate <= 0.0F) {
            return m_shares;
        }
        if (m_inputs->dropRate >= 1.0F) {
            std::ranges::fill(m_kept, 0.0F);
        } else {
            drop(t, m_shares, m_kept);
        }
        return m_kept;
    }

    /// d loss / d score of a query's keys, into m_grads; through the softmax, m_shares.
    void scoreGradients(std::int64_t t, const float* dstGrad) const
    {
        for (std::int64_t s = 0; s < m_problem->keys; ++s) {
            m_grads[s] = sumOfProducts(dstGrad, m_value[s], m_problem->valueWidth);
        }
        if (m_inputs->dropRate >= 1.0F) {
            std::ranges::fill(m_grads, 0.0F);
        } else if (m_inputs->dropRate > 0.0F) {
            drop(t, m_grads, m_grads);
        }
        const float mean = sumOfProducts(m_grads.data(), m_shares.data(), m_problem->keys);
        for (std::int64_t s = 0; s < m_problem->keys; ++s) {
            m_grads[s] = (m_grads[s] - mean) * m_shares[s];
        }
    }

    void passBack(std::int64_t t, std::int64_t s, float grad, const Slopes& slopes) const
    {
        if (m_problem->rule == ScoreRule::Sum) {
            passBackSum(t, s, grad, slopes);
            return;
        }
        const std::int64_t width = m_problem->keyWidth;
        if (!slopes.query.isEmpty()) {
            addScaled(m_inputs->scale * grad, m_key[s], slopes.query[t], width);
        }
        if (!slopes.key.isEmpty()) {
            addScaled(m_inputs->scale * grad, m_query[t], slopes.key[s], width);
        }
        if (!slopes.scale.isEmpty()) {
            slopes.scale[0][0] += grad * sumOfProducts(m_query[t], m_key[s], width);
        }
    }

    void passBackSum(std::int64_t t, std::int64_t s, float grad, const Slopes& slopes) const
    {
        const float* query = m_query[t];
        const float* key = m_key[s];
        for (std::int64_t d = 0; d < m_problem->keyWidth; ++d) {
            const float sum = query[d] + key[d];
            const float bent = hyperbolicTangent(m_inputs->scale * sum);
            const float inner = grad * m_inputs->weights[d] * (1.0F - bent * bent);
            if (!slopes.query.isEmpty()) {
                slopes.query[t][d] += inner * m_inputs->scale;
            }
            if (!slopes.key.isEmpty()) {
                slopes.key[s][d] += inner * m_inputs->scale;
            }
            if (!slopes.weights.isEmpty()) {
                slopes.weights[0][d] += grad * bent;
            }
            if (!slopes.scale.isEmpty()) {
                slopes.scale[0][d] += inner * sum;
            }
        }
    }

    ThreadPool* m_pool;
    const AttentionProblem* m_problem;
    const AttentionInputs* m_inputs;
    std::int64_t m_row;
    std::int64_t m_head;
    Vectors<const float> m_query;
    Vectors<const float> m_key;
    Vectors<const float> m_value;
    std::span<float> m_shares; ///< of the keys of one query
    std::span<float> m_kept;   ///< the same after dropout
    std::span<float> m_grads;
};

/// function(Head) for every head of every row.
template <typename Function>
void forEachHead(ThreadPool& pool, const AttentionProblem& problem, const AttentionInputs& inputs,
                 std::int64_t rows, const Function& function)
{
    const std::int64_t cost =
        problem.queries * problem.keys * (problem.keyWidth + problem.valueWidth);
    const std::int64_t perBlock =
        std::max<std::int64_t>(1, kBlockElements / std::max<std::int64_t>(1, cost));
    forEachBlock(pool, rows * problem.heads, perBlock, [&](BlockRange items, int worker) {
        for (std::int64_t item = items.first; item < items.first + items.count; ++item) {
            function(Head(pool, problem, inputs, item, worker));
        }
    });
}

void forward(ThreadPool& pool, const AttentionProblem& problem, const AttentionInputs& inputs,
             MatrixView dst)
{
    forEachHead(pool, problem, inputs, dst.rows, [&](const Head& head) { head.forward(dst); });
}

void backward(ThreadPool& pool, const AttentionProblem& problem, const AttentionInputs& inputs,
              const AttentionGradients& gradients)
{
    forEachHead(pool, problem, inputs, gradients.dstGrad.rows,
                [&](const Head& head) { head.backward(gradients); });
}

} // namespace

const AttentionKernels kAttention = {forward, backward};

} // namespace cannery::kernels::cpu
