// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/keras_layers/weights.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace cannery::tests {

namespace {

using WeightJson = nlohmann::json;

std::string classOf(const WeightJson& object)
{
    return object.contains("class") ? object["class"] : object["class_name"];
}

template <typename Message>
void setAxes(const WeightJson& config, Message& message)
{
    const WeightJson& axis = config["axis"];
    if (axis.is_number()) {
        message.add_axis(axis.get<std::int64_t>());
        return;
    }
    for (const WeightJson& one : axis) {
        message.add_axis(one.get<std::int64_t>());
    }
}

void setVarianceScaling(const WeightJson& config, spec::VarianceScalingInitializer& message)
{
    const std::string mode = config["mode"];
    const std::string distribution = config["distribution"];
    message.set_scale(config["scale"]);
    message.set_mode(mode == "fan_in"    ? spec::VarianceScalingMode::fan_in
                     : mode == "fan_out" ? spec::VarianceScalingMode::fan_out
                                         : spec::VarianceScalingMode::fan_avg);
    message.set_distribution(distribution == "uniform" ? spec::VarianceScalingDistribution::uniform
                             : distribution == "untruncated_normal"
                                 ? spec::VarianceScalingDistribution::untruncated_normal
                                 : spec::VarianceScalingDistribution::truncated_normal);
}

/// Those without arguments other than a seed.
bool setPlain(const std::string& name, spec::Initializer& initializer)
{
    if (name == "Zeros") {
        initializer.mutable_zeros();
    } else if (name == "Ones") {
        initializer.mutable_ones();
    } else if (name == "GlorotUniform") {
        initializer.mutable_glorot_uniform();
    } else if (name == "GlorotNormal") {
        initializer.mutable_glorot_normal();
    } else if (name == "HeUniform") {
        initializer.mutable_he_uniform();
    } else if (name == "HeNormal") {
        initializer.mutable_he_normal();
    } else if (name == "LecunUniform") {
        initializer.mutable_lecun_uniform();
    } else if (name == "LecunNormal") {
        initializer.mutable_lecun_normal();
    }
    return initializer.kind_case() != spec::Initializer::KIND_NOT_SET;
}

/// "kernel", "recurrent_kernel": what the weight of "recurrent_regularizer" is called.
std::string nameOf(const std::string& prefix, const std::vector<layers::LayerVariable>& variables)
{
    for (const std::string& name : {prefix, prefix + "_kernel"}) {
        const auto isIt = [&](const layers::LayerVariable& variable) {
            return variable.suffix == name || variable.suffix.ends_with("/" + name);
        };
        if (std::ranges::count_if(variables, isIt) == 1) {
            return name;
        }
    }
    return {};
}

/// The message for this weight.
spec::LayerWeight& weightIn(spec::Layer& layer, const std::string& name)
{
    for (spec::LayerWeight& weight : *layer.mutable_weights()) {
        if (weight.name() == name) {
            return weight;
        }
    }
    spec::LayerWeight& added = *layer.add_weights();
    added.set_name(name);
    return added;
}

bool takeRegularizer(const WeightJson& object, const std::string& name, spec::Layer& layer)
{
    const auto regularizer = regularizerOf(object);
    if (regularizer && !name.empty()) {
        *weightIn(layer, name).mutable_regularizer() = *regularizer;
    }
    return regularizer && !name.empty();
}

bool takeConstraint(const WeightJson& object, const std::string& name, spec::Layer& layer)
{
    const auto constraint = constraintOf(object);
    if (constraint && !name.empty()) {
        *weightIn(layer, name).mutable_constraint() = *constraint;
    }
    return constraint && !name.empty();
}

} // namespace

std::optional<spec::Initializer> initializerOf(const WeightJson& object)
{
    const std::string name = classOf(object);
    const WeightJson& config = object["config"];
    spec::Initializer initializer;
    if (setPlain(name, initializer)) {
        return initializer;
    }
    if (name == "Constant") {
        initializer.mutable_constant()->add_value(config["value"]);
    } else if (name == "RandomUniform") {
        initializer.mutable_random_uniform()->set_minval(config["minval"]);
        initializer.mutable_random_uniform()->set_maxval(config["maxval"]);
    } else if (name == "RandomNormal") {
        initializer.mutable_random_normal()->set_mean(config["mean"]);
        initializer.mutable_random_normal()->set_stddev(config["stddev"]);
    } else if (name == "TruncatedNormal") {
        initializer.mutable_truncated_normal()->set_mean(config["mean"]);
        initializer.mutable_truncated_normal()->set_stddev(config["stddev"]);
    } else if (name == "Orthogonal") {
        initializer.mutable_orthogonal()->set_gain(config["gain"]);
    } else if (name == "Identity") {
        initializer.mutable_identity()->set_gain(config["gain"]);
    } else if (name == "VarianceScaling") {
        setVarianceScaling(config, *initializer.mutable_variance_scaling());
    } else {
        return std::nullopt;
    }
    return initializer;
}

std::optional<spec::Regularizer> regularizerOf(const WeightJson& object)
{
    const std::string name = classOf(object);
    const WeightJson& config = object["config"];
    spec::Regularizer regularizer;
    if (name == "L1" || name == "L2" || name == "L1L2") {
        regularizer.mutable_l1_l2()->set_l1(config.value("l1", 0.0));
        regularizer.mutable_l1_l2()->set_l2(config.value("l2", 0.0));
        return regularizer;
    }
    if (name == "OrthogonalRegularizer") {
        regularizer.mutable_orthogonal()->set_factor(config["factor"]);
        regularizer.mutable_orthogonal()->set_mode(config["mode"] == "columns"
                                                       ? spec::OrthogonalMode::columns
                                                       : spec::OrthogonalMode::rows);
        return regularizer;
    }
    return std::nullopt;
}

std::optional<spec::Constraint> constraintOf(const WeightJson& object)
{
    const std::string name = classOf(object);
    const WeightJson& config = object["config"];
    spec::Constraint constraint;
    if (name == "MaxNorm") {
        constraint.mutable_max_norm()->set_max_value(config["max_value"]);
        setAxes(config, *constraint.mutable_max_norm());
    } else if (name == "MinMaxNorm") {
        constraint.mutable_min_max_norm()->set_min_value(config["min_value"]);
        constraint.mutable_min_max_norm()->set_max_value(config["max_value"]);
        constraint.mutable_min_max_norm()->set_rate(config["rate"]);
        setAxes(config, *constraint.mutable_min_max_norm());
    } else if (name == "UnitNorm") {
        setAxes(config, *constraint.mutable_unit_norm());
    } else if (name == "NonNeg") {
        constraint.mutable_non_negative();
    } else if (name == "RadialConstraint") {
        constraint.mutable_radial();
    } else {
        return std::nullopt;
    }
    return constraint;
}

bool takeWeightRules(const WeightJson& config, const std::vector<layers::LayerVariable>& variables,
                     spec::Layer& layer)
{
    constexpr std::string_view kPenalty = "_regularizer";
    constexpr std::string_view kConstraint = "_constraint";
    for (const auto& [key, object] : config.items()) {
        const bool isPenalty = key.ends_with(kPenalty);
        if (object.is_null() || (!isPenalty && !key.ends_with(kConstraint))) {
            continue;
        }
        const std::size_t length = (isPenalty ? kPenalty : kConstraint).size();
        const std::string prefix = key.substr(0, key.size() - length);
        if (isPenalty && prefix == "activity") {
            const auto regularizer = regularizerOf(object);
            if (!regularizer || !regularizer->has_l1_l2()) {
                return false;
            }
            *layer.mutable_activity_regularizer() = regularizer->l1_l2();
            continue;
        }
        const std::string name = nameOf(prefix, variables);
        if (!(isPenalty ? takeRegularizer(object, name, layer)
                        : takeConstraint(object, name, layer))) {
            return false;
        }
    }
    return true;
}

} // namespace cannery::tests
