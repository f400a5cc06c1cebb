// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/layer.h"
#include "kernels/ops/attention.h"

#include <optional>
#include <string_view>

/// What layers of attention share. Their inputs: a query [steps, width], a value [steps, width], a
/// key with the steps of the value (the value itself if there are only two inputs), and masks of
/// numbers that are 0 where something is hidden.
namespace cannery::layers {

enum AttentionInput : std::size_t
{
    kQueryInput,
    kValueInput,
    kKeyInput,
    kMaskInput,      ///< [steps of the value], or [steps of the query, steps of the value]
    kQueryMaskInput, ///< [steps of the query]
};

/// Of the rows of the inputs.
struct AttentionSizes
{
    std::int64_t queries = 0; ///< steps
    std::int64_t keys = 0;
    std::int64_t queryWidth = 0;
    std::int64_t keyWidth = 0;
    std::int64_t valueWidth = 0;
};

struct AttentionRules
{
    std::size_t mostInputs = 5;
    bool needsSameWidth = true; ///< of query and key
    bool flattensSteps = false; ///< all dimensions but the last are steps
};

/// Errors: "layers.attention_…", "layers.input_count", "layers.input_kind".
Result<AttentionSizes> checkAttention(std::string_view kind, const AttentionRules& rules,
                                      std::span<const graph::Value* const> inputs);
/// Of inputs that have passed that check, by the shapes of their rows.
AttentionSizes attentionSizes(const std::vector<std::vector<std::int64_t>>& shapes);
AttentionSizes attentionSizes(const LayerBuffers& buffers);
AttentionSizes attentionSizes(const EmitContext& context);

/// The mask's rows; empty without one.
kernels::ConstMatrixView attentionMask(const LayerBuffers& buffers, kernels::BlockRange rows);
/// Masks have no gradient: zeros where one is wanted.
void clearMaskGradients(const LayerBuffers& buffers, const StepContext& step);

/// 1 where a number of a mask is not 0.
storage::NodeRef emitTruth(const EmitContext& context, std::size_t input);
/// The bias added to scores: -1e9 where a key is hidden. [batch or 1, queries or 1, keys], or
/// [batch or 1, 1, queries or 1, keys] for scores of several heads; nothing if no key is.
std::optional<storage::NodeRef> emitHiding(const EmitContext& context, bool isCausal,
                                           bool hasHeads);

} // namespace cannery::layers
