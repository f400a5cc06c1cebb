// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/keras_layers/attention.h"

#include "tests/golden/keras_layers/conversions.h"

#include <array>
#include <vector>

namespace cannery::tests {

namespace {

using Json = nlohmann::json;
using Sizes = std::vector<std::size_t>;

bool ofAttention(const Json& config, spec::Layer& layer)
{
    spec::AttentionLayer& message = *layer.mutable_attention();
    message.set_use_scale(config["use_scale"]);
    message.set_score_mode(config["score_mode"] == "concat" ? spec::ScoreMode::concat
                                                            : spec::ScoreMode::dot);
    message.set_dropout(config["dropout"]);
    message.set_causal(config.value("causal", false));
    return true;
}

bool ofAdditiveAttention(const Json& config, spec::Layer& layer)
{
    spec::AdditiveAttentionLayer& message = *layer.mutable_additive_attention();
    message.set_use_scale(config["use_scale"]);
    message.set_dropout(config["dropout"]);
    message.set_causal(config.value("causal", false));
    return true;
}

/// Ours attends along all dimensions between the batch and the last one, and gives one width.
bool ofMultiHeadAttention(const Json& config, spec::Layer& layer)
{
    spec::MultiHeadAttentionLayer& message = *layer.mutable_multi_head_attention();
    message.set_num_heads(config["num_heads"]);
    message.set_key_dim(config["key_dim"]);
    if (!config["value_dim"].is_null()) {
        message.set_value_dim(config["value_dim"]);
    }
    Json width = config["output_shape"];
    if (width.is_array() && width.size() == 1) {
        width = width[0];
    }
    if (width.is_number()) {
        message.set_output_width(width);
    }
    message.set_use_bias(config["use_bias"]);
    message.set_dropout(config["dropout"]);
    message.set_causal(config.value("causal", false));
    const Json& axes = config["attention_axes"];
    const bool attendsAll = axes.is_null() || axes.size() + 2 == config["query_shape"].size();
    return attendsAll && (width.is_number() || width.is_null());
}

constexpr auto kConversions = std::to_array<ConversionRow>({
    {"AdditiveAttention", ofAdditiveAttention},
    {"Attention", ofAttention},
    {"MultiHeadAttention", ofMultiHeadAttention},
});

bool isTrue(const Json& mask, std::size_t index)
{
    return mask.is_null() || mask["values"][index] == true;
}

/// A mask as numbers of this shape, or a tensor of zeros.
Json tensorOf(const Sizes& shape, const std::vector<int>& values)
{
    return {{"shape", shape}, {"values", values}};
}

/// An input that has no gradient.
void addInput(Json& layerCase, const Json& tensor)
{
    layerCase["inputs"].push_back(tensor);
    layerCase["input_gradients"].push_back(
        tensorOf(tensor["shape"], std::vector<int>(tensor["values"].size(), 0)));
}

Json numbersOf(const Json& mask, const Sizes& shape)
{
    std::size_t count = 1;
    for (const std::size_t size : shape) {
        count *= size;
    }
    std::vector<int> values;
    for (std::size_t i = 0; i < count; ++i) {
        values.push_back(isTrue(mask, i) ? 1 : 0);
    }
    return tensorOf(shape, values);
}

/// The key that ours needs before a mask. Its gradient belongs to the value.
void addKey(Json& layerCase)
{
    if (layerCase["inputs"].size() == 2) {
        addInput(layerCase, Json(layerCase["inputs"][1]));
        layerCase["key_is_value"] = true;
    }
}

/// [batch, steps of query and value] of a case.
Sizes sizesOf(const Json& layerCase)
{
    const Json& query = layerCase["inputs"][0]["shape"];
    return {query[0].get<std::size_t>(), query[1].get<std::size_t>(),
            layerCase["inputs"][1]["shape"][1].get<std::size_t>()};
}

void addSequenceMasks(Json& layerCase, const Json& masks)
{
    const Sizes sizes = sizesOf(layerCase);
    addKey(layerCase);
    addInput(layerCase, numbersOf(masks[1], {sizes[0], sizes[2]}));
    addInput(layerCase, numbersOf(masks[0], {sizes[0], sizes[1]}));
}

/// All that hides a key from a query, as one mask [batch, queries, keys].
void addJoinedMask(Json& layerCase, const Json& ofScores, const Json& ofInputs)
{
    const Sizes sizes = sizesOf(layerCase);
    std::vector<int> shown;
    for (std::size_t i = 0; i < sizes[0] * sizes[1] * sizes[2]; ++i) {
        const std::size_t row = i / (sizes[1] * sizes[2]);
        bool isShown = isTrue(ofScores, i);
        for (std::size_t input = 0; input < ofInputs.size(); ++input) {
            const std::size_t place = input == 0 ? i / sizes[2] : row * sizes[2] + i % sizes[2];
            isShown = isShown && isTrue(ofInputs[input], place);
        }
        shown.push_back(isShown ? 1 : 0);
    }
    addKey(layerCase);
    addInput(layerCase, tensorOf(sizes, shown));
}

void moveMasks(Json& layerCase, Json& call)
{
    const Json masks = call.value("mask", layerCase.value("input_masks", Json()));
    if (layerCase["class"] == "Softmax") {
        if (masks.is_object() && masks["shape"] == layerCase["inputs"][0]["shape"]) {
            addInput(layerCase, numbersOf(masks, masks["shape"]));
            call.erase("mask");
        }
        return;
    }
    const Json ofScores = call.value("attention_mask", Json());
    if (layerCase["class"] == "MultiHeadAttention") {
        const Sizes sizes = sizesOf(layerCase);
        if (!ofScores.is_null() && ofScores["shape"] != sizes) {
            call["mask"] = ofScores; // of a shape that ours has not
            return;
        }
        if (!ofScores.is_null() || !masks.is_null()) {
            addJoinedMask(layerCase, ofScores, masks);
        }
    } else if (masks.is_array()) {
        addSequenceMasks(layerCase, masks);
    }
    call.erase("mask");
    call.erase("attention_mask");
    layerCase.erase("input_masks");
}

/// A mask of steps; images have no use for one.
Json withMaskOfMoments(Json layerCase)
{
    const Json call = layerCase.value("call", Json::object());
    if (call.contains("mask")) {
        const Json& mask = call["mask"];
        if (layerCase["inputs"][0]["shape"].size() == 3) {
            addInput(layerCase, numbersOf(mask, mask["shape"].get<Sizes>()));
        }
        layerCase["call"].erase("mask");
    }
    return layerCase;
}

} // namespace

std::span<const ConversionRow> attentionConversions()
{
    return kConversions;
}

Json withMasksAsInputs(Json layerCase)
{
    const std::string name = layerCase["class"];
    if (name == "BatchNormalization") {
        return withMaskOfMoments(std::move(layerCase));
    }
    if (!name.ends_with("Attention") && name != "Softmax") {
        return layerCase;
    }
    Json call = layerCase.value("call", Json::object());
    moveMasks(layerCase, call);
    layerCase["config"]["causal"] = call.value("use_causal_mask", false);
    // S counts the scores too, which ours do not give.
    layerCase["only_output"] = call.value("return_attention_scores", false);
    layerCase["call"] = call;
    return layerCase;
}

} // namespace cannery::tests
