// SPDX-License-Identifier: Apache-2.0
#include "core/layers/masks/mask_catalog.h"

#include "core/base/catalog.h"
#include "core/layers/attention/attention_inputs.h"
#include "core/layers/masks/step_masks.h"
#include "core/layers/normalization/batch_normalization_layer.h"
#include "core/layers/row_axes.h"

#include <algorithm>
#include <array>

namespace cannery::layers {

namespace {

using graph::ValueId;
using MaskedInputs = std::vector<ValueId>;
using MaskRecipe = MaskFlow::Recipe;

const graph::Value& maskedValue(const MaskFlow& flow, ValueId id)
{
    return flow.builder().graph().value(id);
}

std::size_t maskedRank(const MaskFlow& flow, ValueId id)
{
    return graph::rowShape(maskedValue(flow, id)).size();
}

/// A mask in another shape: masks of recurrent layers have one of [steps, 1].
Result<ValueId> reshapedMask(MaskFlow& flow, const std::string& name, ValueId mask,
                             const std::vector<std::int64_t>& shape)
{
    spec::Layer layer;
    for (const std::int64_t size : shape) {
        layer.mutable_reshape()->add_target_shape(size);
    }
    return flow.builder().addNode(name, std::move(layer), {mask});
}

/// True where all of them are: their product.
Result<ValueId> masksTogether(MaskFlow& flow, const std::string& name, MaskedInputs masks)
{
    if (masks.size() == 1) {
        return masks.front();
    }
    spec::Layer layer;
    layer.mutable_multiply();
    return flow.builder().addNode(name, std::move(layer), std::move(masks));
}

Result<ValueId> maskOrOnes(MaskFlow& flow, const std::string& name, ValueId value, std::size_t rank)
{
    if (flow.hasMask(value)) {
        return flow.maskOf(value);
    }
    return flow.builder().addNode(name, fullMask(rank), {value});
}

/// simple_rnn, lstm, gru, bidirectional: a mask behind the steps.
Result<MaskedInputs> readOverSteps(MaskedLayer& at)
{
    MaskedInputs inputs = at.inputs;
    const bool isNamed = inputs.size() > 1 && maskedRank(at.flow, inputs[1]) == 2;
    if (isNamed || !at.flow.hasMask(inputs.front())) {
        return inputs;
    }
    CANNERY_TRY_ASSIGN(const ValueId mask, at.flow.maskOf(inputs.front()));
    CANNERY_TRY_ASSIGN(const ValueId ofSteps,
                       reshapedMask(at.flow, at.name + "/mask", mask,
                                    {graph::rowShape(maskedValue(at.flow, mask)).front(), 1}));
    inputs.insert(inputs.begin() + 1, ofSteps);
    return inputs;
}

/// global_average_pooling_1d: a second input.
Result<MaskedInputs> readBeside(MaskedLayer& at)
{
    MaskedInputs inputs = at.inputs;
    if (inputs.size() == 1 && at.flow.hasMask(inputs.front())) {
        CANNERY_TRY_ASSIGN(const ValueId mask, at.flow.maskOf(inputs.front()));
        inputs.push_back(mask);
    }
    return inputs;
}

/// batch_normalization: for its moments.
Result<MaskedInputs> readOfMoments(MaskedLayer& at)
{
    const std::size_t rank = maskedRank(at.flow, at.inputs.front());
    return BatchNormalizationLayer::takesMask(rank, at.layer.batch_normalization().axis())
               ? readBeside(at)
               : at.inputs;
}

/// softmax: of its own shape only; Keras would add a mask of steps to the wrong dimension.
Result<MaskedInputs> readOfOwnShape(MaskedLayer& at)
{
    if (at.inputs.size() != 1 || !at.flow.hasMask(at.inputs.front())) {
        return at.inputs;
    }
    CANNERY_TRY_ASSIGN(const ValueId mask, at.flow.maskOf(at.inputs.front()));
    const auto shape = graph::rowShape(maskedValue(at.flow, at.inputs.front()));
    return graph::rowShape(maskedValue(at.flow, mask)) == shape ? readBeside(at) : at.inputs;
}

/// Query and value with the key that has to stand before a mask.
MaskedInputs withKey(MaskedInputs inputs)
{
    if (inputs.size() == kKeyInput) {
        inputs.push_back(inputs[kValueInput]);
    }
    return inputs;
}

/// attention, additive_attention: masks of the values and of the queries. That of a key counts for
/// nothing, as in Keras.
Result<MaskedInputs> readOfAttention(MaskedLayer& at)
{
    MaskedInputs inputs = at.inputs;
    const bool reads =
        inputs.size() > kValueInput && inputs.size() <= kMaskInput &&
        (at.flow.hasMask(inputs[kQueryInput]) || at.flow.hasMask(inputs[kValueInput]));
    if (!reads) {
        return inputs;
    }
    CANNERY_TRY_ASSIGN(const ValueId ofValues,
                       maskOrOnes(at.flow, at.name + "/mask", inputs[kValueInput], 1));
    const ValueId query = inputs[kQueryInput];
    inputs = withKey(std::move(inputs));
    inputs.push_back(ofValues);
    if (at.flow.hasMask(query)) {
        CANNERY_TRY_ASSIGN(const ValueId ofQueries, at.flow.maskOf(query));
        inputs.push_back(ofQueries);
    }
    return inputs;
}

/// What hides keys from heads, whatever the query: the masks of value and key, ones without any.
Result<ValueId> maskOfKeys(MaskedLayer& at)
{
    const ValueId value = at.inputs[kValueInput];
    const bool hasKey = at.inputs.size() > kKeyInput && at.inputs[kKeyInput] != value;
    if (!hasKey || !at.flow.hasMask(at.inputs[kKeyInput])) {
        return maskOrOnes(at.flow, at.name + "/value_mask", value, maskedRank(at.flow, value) - 1);
    }
    CANNERY_TRY_ASSIGN(const ValueId ofKey, at.flow.maskOf(at.inputs[kKeyInput]));
    if (!at.flow.hasMask(value)) {
        return ofKey;
    }
    CANNERY_TRY_ASSIGN(const ValueId ofValue, at.flow.maskOf(value));
    return masksTogether(at.flow, at.name + "/value_mask", {ofValue, ofKey});
}

/// multi_head_attention: one mask, of [keys], or of [queries, keys] if queries are masked, too:
/// then such a query reads all values alike, as in Keras.
Result<MaskedInputs> readOfHeads(MaskedLayer& at)
{
    MaskFlow& flow = at.flow;
    const bool reads = at.inputs.size() > kValueInput && at.inputs.size() <= kMaskInput &&
                       std::ranges::any_of(at.inputs, [&](ValueId id) { return flow.hasMask(id); });
    if (!reads) {
        return at.inputs;
    }
    CANNERY_TRY_ASSIGN(ValueId mask, maskOfKeys(at));
    const std::int64_t keys = maskedValue(flow, mask).width;
    if (flow.hasMask(at.inputs[kQueryInput])) {
        CANNERY_TRY_ASSIGN(const ValueId ofQueries, flow.maskOf(at.inputs[kQueryInput]));
        CANNERY_TRY_ASSIGN(const ValueId rows,
                           reshapedMask(flow, at.name + "/query_mask", ofQueries,
                                        {maskedValue(flow, ofQueries).width, 1}));
        CANNERY_TRY_ASSIGN(const ValueId columns,
                           reshapedMask(flow, at.name + "/key_mask", mask, {1, keys}));
        CANNERY_TRY_ASSIGN(mask, masksTogether(flow, at.name + "/mask", {rows, columns}));
    } else if (maskedRank(flow, mask) > 1) {
        CANNERY_TRY_ASSIGN(mask, reshapedMask(flow, at.name + "/key_mask", mask, {keys}));
    }
    MaskedInputs inputs = withKey(at.inputs);
    inputs.push_back(mask);
    return inputs;
}

/// That of the first input: of the query, if there are several.
MaskRecipe keptMask(const MaskedLayer& at)
{
    if (at.inputs.empty() || !at.flow.hasMask(at.inputs.front())) {
        return {};
    }
    return [&flow = at.flow, from = at.inputs.front()] { return flow.maskOf(from); };
}

/// Of a recurrent layer that gives every step.
MaskRecipe maskOfSteps(const MaskedLayer& at)
{
    return maskedRank(at.flow, at.output) == 2 ? keptMask(at) : MaskRecipe();
}

/// A step counts if it does in all inputs that have a mask.
MaskRecipe maskOfAll(const MaskedLayer& at)
{
    MaskedInputs masked;
    std::ranges::copy_if(at.inputs, std::back_inserter(masked),
                         [&](ValueId id) { return at.flow.hasMask(id); });
    if (masked.empty()) {
        return {};
    }
    return [&flow = at.flow, name = at.name + "/mask", masked]() -> Result<ValueId> {
        MaskedInputs masks;
        for (const ValueId value : masked) {
            CANNERY_TRY_ASSIGN(const ValueId mask, flow.maskOf(value));
            masks.push_back(mask);
        }
        return masksTogether(flow, name, std::move(masks));
    };
}

/// Steps behind steps have their masks behind another; of channels beside channels all count. An
/// input without a mask hides nothing.
MaskRecipe maskOfParts(const MaskedLayer& at)
{
    const auto masked =
        std::ranges::find_if(at.inputs, [&](ValueId id) { return at.flow.hasMask(id); });
    if (masked == at.inputs.end()) {
        return {};
    }
    const std::size_t rank = maskedRank(at.flow, at.output);
    const std::size_t axis = rowAxis(rank, at.layer.concatenate().axis());
    if (axis + 1 == rank) {
        return maskOfAll(at);
    }
    return [&flow = at.flow, name = at.name + "/mask", inputs = at.inputs, axis,
            first = *masked]() -> Result<ValueId> {
        CANNERY_TRY_ASSIGN(const ValueId any, flow.maskOf(first));
        const std::size_t maskRank = maskedRank(flow, any);
        MaskedInputs masks;
        for (const ValueId input : inputs) {
            CANNERY_TRY_ASSIGN(const ValueId mask, maskOrOnes(flow, name, input, maskRank));
            masks.push_back(mask);
        }
        spec::Layer layer;
        layer.mutable_concatenate()->set_axis(static_cast<std::int64_t>(axis) + 1);
        return flow.builder().addNode(name, std::move(layer), std::move(masks));
    };
}

MaskRecipe maskOfTokens(const MaskedLayer& at)
{
    if (!at.layer.token_embedding().mask_zero()) {
        return {};
    }
    return [&flow = at.flow, name = at.name + "/mask", ids = at.inputs.front()] {
        return flow.builder().addNode(name, tokenMask(), {ids});
    };
}

MaskRecipe maskOfValue(const MaskedLayer& at)
{
    const auto hidden = static_cast<float>(at.layer.masking().mask_value());
    return [&flow = at.flow, name = at.name + "/mask", from = at.inputs.front(), hidden] {
        return flow.builder().addNode(name, stepMask(hidden), {from});
    };
}

constexpr auto kMaskCatalog = std::to_array<MaskRow>({
    {spec::Layer::kDense, nullptr, keptMask},
    {spec::Layer::kDropout, nullptr, keptMask},
    {spec::Layer::kBatchNormalization, readOfMoments, keptMask},
    {spec::Layer::kAdd, nullptr, maskOfAll},
    {spec::Layer::kSimpleRnn, readOverSteps, maskOfSteps},
    {spec::Layer::kLstm, readOverSteps, maskOfSteps},
    {spec::Layer::kGru, readOverSteps, maskOfSteps},
    {spec::Layer::kActivation, nullptr, keptMask},
    {spec::Layer::kConcatenate, nullptr, maskOfParts},
    {spec::Layer::kMultiply, nullptr, maskOfAll},
    {spec::Layer::kSubtract, nullptr, maskOfAll},
    {spec::Layer::kAverage, nullptr, maskOfAll},
    {spec::Layer::kMaximum, nullptr, maskOfAll},
    {spec::Layer::kMinimum, nullptr, maskOfAll},
    {spec::Layer::kGlobalAveragePooling1D, readBeside, nullptr},
    {spec::Layer::kLayerNormalization, nullptr, keptMask},
    {spec::Layer::kGroupNormalization, nullptr, keptMask},
    {spec::Layer::kUnitNormalization, nullptr, keptMask},
    {spec::Layer::kRelu, nullptr, keptMask},
    {spec::Layer::kLeakyRelu, nullptr, keptMask},
    {spec::Layer::kPrelu, nullptr, keptMask},
    {spec::Layer::kElu, nullptr, keptMask},
    {spec::Layer::kThresholdedRelu, nullptr, keptMask},
    {spec::Layer::kSoftmax, readOfOwnShape, keptMask},
    {spec::Layer::kSpatialDropout1D, nullptr, keptMask},
    {spec::Layer::kSpatialDropout2D, nullptr, keptMask},
    {spec::Layer::kGaussianNoise, nullptr, keptMask},
    {spec::Layer::kGaussianDropout, nullptr, keptMask},
    {spec::Layer::kAlphaDropout, nullptr, keptMask},
    {spec::Layer::kBidirectional, readOverSteps, maskOfSteps},
    {spec::Layer::kAttention, readOfAttention, keptMask},
    {spec::Layer::kAdditiveAttention, readOfAttention, keptMask},
    {spec::Layer::kMultiHeadAttention, readOfHeads, keptMask},
    {spec::Layer::kTokenEmbedding, nullptr, maskOfTokens},
    {spec::Layer::kMasking, nullptr, maskOfValue},
});

} // namespace

std::span<const MaskRow> maskCatalog()
{
    return kMaskCatalog;
}

const MaskRow* maskRuleOf(spec::Layer::KindCase kind)
{
    return findRow(kMaskCatalog, kind);
}

} // namespace cannery::layers
