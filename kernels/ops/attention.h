// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/tensor_view.h"
#include "kernels/device/thread_pool.h"
#include "kernels/ops/implementation_list.h"

namespace cannery::kernels {

/// How well a key k fits a query q.
enum class ScoreRule : std::uint8_t
{
    Product, ///< scale (q · k)
    Sum,     ///< sum_d weights[d] tanh(scale (q_d + k_d))
};

/// A row is a query [queries, heads, keyWidth], a key [keys, heads, keyWidth] and a value
/// [keys, heads, valueWidth]; every head is by itself. ScoreRule::Sum is for one head.
struct AttentionProblem
{
    std::int64_t rows = 0;
    std::int64_t heads = 1;
    std::int64_t queries = 0;
    std::int64_t keys = 0;
    std::int64_t keyWidth = 0;
    std::int64_t valueWidth = 0;
    ScoreRule rule = ScoreRule::Product;
    bool isCausal = false; ///< query t sees the keys up to t
};

/// More keys do not fit into the working memory of a thread.
inline constexpr std::int64_t kMostAttentionKeys = ThreadPool::kScratchFloats / 3;

struct AttentionInputs
{
    ConstMatrixView query;
    ConstMatrixView key;
    ConstMatrixView value;
    /// 0 where a key is hidden: [rows, keys], from all queries, or [rows, queries * keys]. May be
    /// empty.
    ConstMatrixView mask;
    float scale = 1.0F;
    std::span<const float> weights; ///< [keyWidth], for ScoreRule::Sum
    /// The shares are dropped out as by DropoutKernels, of whose rows each query of each head is
    /// one, and each key a unit; at a rate of 0 none is.
    float dropRate = 0.0F;
    std::uint64_t seed = 0;
    std::uint32_t layer = 0;
    std::uint64_t step = 0;
    std::uint64_t firstRow = 0;
};

/// What is not wanted is empty. `key` and `value` may be the same memory: their sum comes there.
struct AttentionGradients
{
    ConstMatrixView dstGrad;
    MatrixView query;
    MatrixView key;
    MatrixView value;
    /// Of each row: what it adds to the gradient of `weights`, [rows, keyWidth].
    MatrixView weights;
    /// Of each row: terms whose sum it adds to the gradient of `scale`: [rows, 1] of
    /// ScoreRule::Product, which is for one head then, and [rows, keyWidth] of ScoreRule::Sum.
    MatrixView scale;
};

/// dst = P · value, [rows, queries * heads * valueWidth], with P the softmax of the scores over the
/// keys. A hidden key's score is lowered by 1e9, as Keras does (tf.keras.layers.Attention,
/// MultiHeadAttention): where all are hidden, the scores are lost to rounding and all keys count
/// alike. Nothing is kept for the gradient, which computes P again: it would be the largest array
/// of a model. One thread computes a head of a row, in a fixed order.
struct AttentionKernels
{
    void (*forward)(ThreadPool&, const AttentionProblem&, const AttentionInputs&,
                    MatrixView dst) = nullptr;
    void (*backward)(ThreadPool&, const AttentionProblem&, const AttentionInputs&,
                     const AttentionGradients&) = nullptr;
};

using AttentionImplementation = Implementation<AttentionProblem, AttentionKernels>;
std::span<const AttentionImplementation> attentionImplementations();
const AttentionKernels& attentionKernels(const AttentionProblem& problem);

namespace cpu {
extern const AttentionKernels kAttention;
}
namespace reference {
extern const AttentionKernels kAttention;
}

} // namespace cannery::kernels
