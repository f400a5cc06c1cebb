// SPDX-License-Identifier: Apache-2.0
#include "core/layers/layer_weights.h"

#include "core/graph/initializers.h"
#include "core/graph/weight_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <string>
#include <string_view>

namespace cannery::layers {

namespace {

constexpr ErrorKind kUnknownWeight{"layers.unknown_weight",
                                   "The layer '{}' has no weight '{}': it has {}."};
constexpr ErrorKind kAmbiguousWeight{
    "layers.ambiguous_weight",
    "Several weights of the layer '{}' are called '{}': say which one, of {}."};
constexpr ErrorKind kWeightTwice{
    "layers.weight_twice",
    "The weights of the layer '{}' have '{}' twice: put all that is said of it into one."};
constexpr ErrorKind kMeasuredWeight{
    "layers.measured_weight",
    "'{}' of the layer '{}' is measured, not trained: remove its regularizer and constraint."};
constexpr ErrorKind kSharedWeight{
    "layers.shared_weight",
    "The layer '{}' uses the weights of another layer: say there what holds for them."};

std::string namesOf(const std::vector<const LayerVariable*>& variables)
{
    std::vector<std::string_view> names;
    for (const LayerVariable* variable : variables) {
        names.push_back(variable->suffix);
    }
    return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

std::string namesOf(const std::vector<LayerVariable>& variables)
{
    std::vector<const LayerVariable*> all;
    for (const LayerVariable& variable : variables) {
        all.push_back(&variable);
    }
    return namesOf(all);
}

/// Whether `name` is the end of a variable's name, in whole parts.
bool endsWithParts(std::string_view variable, std::string_view name)
{
    return variable == name ||
           (variable.ends_with(name) && variable[variable.size() - name.size() - 1] == '/');
}

/// "forward/kernel" of "forward_lstm/lstm_cell/kernel": the layers of a bidirectional one have
/// names that a person need not know.
bool isOfDirection(std::string_view variable, std::string_view name)
{
    const std::size_t slash = name.find('/');
    if (slash == std::string_view::npos) {
        return false;
    }
    const std::string_view direction = name.substr(0, slash);
    return (direction == "forward" || direction == "backward") &&
           variable.starts_with(fmt::format("{}_", direction)) &&
           endsWithParts(variable, name.substr(slash + 1));
}

Result<LayerVariable*> weightOf(const graph::Node& node, const std::string& name,
                                std::vector<LayerVariable>& variables)
{
    std::vector<const LayerVariable*> found;
    LayerVariable* weight = nullptr;
    for (LayerVariable& variable : variables) {
        const std::string whole = fmt::format("{}/{}", node.name, variable.suffix);
        // An empty name is the end of every one.
        if (!name.empty() && (endsWithParts(whole, name) || isOfDirection(variable.suffix, name))) {
            found.push_back(&variable);
            weight = &variable;
        }
    }
    if (found.empty()) {
        return fail(ErrorCode::NotFound, kUnknownWeight, node.name, name, namesOf(variables));
    }
    if (found.size() > 1) {
        return fail(ErrorCode::InvalidArgument, kAmbiguousWeight, node.name, name, namesOf(found));
    }
    return weight;
}

Result<void> setWeight(const spec::LayerWeight& message, LayerVariable& variable)
{
    if (message.has_initializer()) {
        CANNERY_TRY(graph::checkInitializer(message.initializer(), variable.shape));
        variable.initializer = message.initializer();
        variable.pattern = graph::InitialPattern::None;
    }
    if (message.has_regularizer()) {
        CANNERY_TRY(graph::checkRegularizer(message.regularizer(), variable.shape));
        variable.regularizer = message.regularizer();
    }
    if (message.has_constraint()) {
        CANNERY_TRY(graph::checkConstraint(message.constraint(), variable.shape));
        variable.constraint = message.constraint();
    }
    return {};
}

} // namespace

Result<void> setWeights(const graph::Node& node, bool isOwner,
                        std::vector<LayerVariable>& variables)
{
    if (node.layer.weights_size() > 0 && !isOwner) {
        return fail(ErrorCode::InvalidArgument, kSharedWeight, node.name);
    }
    std::set<const LayerVariable*> seen;
    for (const spec::LayerWeight& message : node.layer.weights()) {
        CANNERY_TRY_ASSIGN(LayerVariable* const weight, weightOf(node, message.name(), variables));
        if (!seen.insert(weight).second) {
            return fail(ErrorCode::InvalidArgument, kWeightTwice, node.name, weight->suffix);
        }
        if (!weight->trainable && (message.has_regularizer() || message.has_constraint())) {
            return fail(ErrorCode::InvalidArgument, kMeasuredWeight, weight->suffix, node.name);
        }
        if (auto isSet = setWeight(message, *weight); !isSet) {
            return tl::make_unexpected(
                std::move(isSet).error().with(fmt::format("weight '{}'", message.name())));
        }
    }
    return {};
}

} // namespace cannery::layers
