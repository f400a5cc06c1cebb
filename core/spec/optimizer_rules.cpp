// SPDX-License-Identifier: Apache-2.0
#include "core/spec/optimizer_rules.h"

#include "core/base/pattern.h"
#include "core/spec/message_access.h"
#include "core/spec/optimizers.pb.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace cannery::spec {

namespace {

constexpr ErrorKind kOnlyKeras{
    "optimizer.only_keras",
    "{} is an optimizer of tf.keras.optimizers alone: set rules to keras, or choose another one."};
constexpr ErrorKind kNotInKeras{
    "optimizer.not_in_keras",
    "tf.keras.optimizers has no {}: set rules to estimator, or choose another optimizer."};
constexpr ErrorKind kKerasOption{
    "optimizer.keras_option",
    "{} is an option of tf.keras.optimizers: set rules to keras, or leave it out."};
constexpr ErrorKind kNoDecay{
    "optimizer.no_decay",
    "The optimizers of tf.keras.optimizers have no decay: give a learning_rate_schedule with "
    "inverse_time_decay, or set rules to estimator."};
constexpr ErrorKind kOneClip{
    "optimizer.one_clip",
    "The optimizers of tf.keras.optimizers clip in one way: keep one of clipnorm, clipvalue and "
    "global_clipnorm."};
constexpr ErrorKind kTwoAverages{
    "optimizer.two_averages",
    "moving_average_decay and ema_momentum are two kinds of moving averages of the weights: keep "
    "one of them."};
constexpr ErrorKind kNoAverages{
    "optimizer.no_averages",
    "There are no moving averages that could overwrite the weights: give ema_momentum, or leave "
    "ema_overwrite_frequency out."};

OptimizerProblem problemAt(std::string_view field, const ErrorKind& kind)
{
    return {SpecPath().child(std::string(field)), error(ErrorCode::InvalidArgument, kind)};
}

std::optional<OptimizerProblem> estimatorProblem(const Optimizer& optimizer)
{
    const bool isOnlyKeras = optimizer.has_lion() || optimizer.has_adafactor();
    if (isOnlyKeras) {
        const std::string& kind = memberField(optimizer)->name();
        return OptimizerProblem{SpecPath().child(kind),
                                error(ErrorCode::InvalidArgument, kOnlyKeras, kind)};
    }
    const std::array<std::pair<bool, const char*>, 4> options{
        {{optimizer.has_weight_decay(), "weight_decay"},
         {optimizer.exclude_from_weight_decay_size() > 0, "exclude_from_weight_decay"},
         {optimizer.has_ema_momentum(), "ema_momentum"},
         {optimizer.has_ema_overwrite_frequency(), "ema_overwrite_frequency"}}};
    for (const auto& [isGiven, field] : options) {
        if (isGiven) {
            return OptimizerProblem{SpecPath().child(field),
                                    error(ErrorCode::InvalidArgument, kKerasOption, field)};
        }
    }
    return std::nullopt;
}

/// Of regular expressions.
std::optional<OptimizerProblem> patternProblem(const Optimizer& optimizer)
{
    for (int i = 0; i < optimizer.exclude_from_weight_decay_size(); ++i) {
        if (auto pattern = Pattern::compile(optimizer.exclude_from_weight_decay(i)); !pattern) {
            return OptimizerProblem{SpecPath().child("exclude_from_weight_decay").element(i),
                                    std::move(pattern).error()};
        }
    }
    return std::nullopt;
}

std::optional<OptimizerProblem> kerasProblem(const Optimizer& optimizer)
{
    if (optimizer.has_proximal_gradient_descent() || optimizer.has_proximal_adagrad() ||
        optimizer.has_linear_sdca()) {
        const std::string& kind = memberField(optimizer)->name();
        return OptimizerProblem{SpecPath().child(kind),
                                error(ErrorCode::InvalidArgument, kNotInKeras, kind)};
    }
    if (optimizer.decay() > 0) {
        return problemAt("decay", kNoDecay);
    }
    const int clips = (optimizer.has_clipnorm() ? 1 : 0) + (optimizer.has_clipvalue() ? 1 : 0) +
                      (optimizer.has_global_clipnorm() ? 1 : 0);
    if (clips > 1) {
        return problemAt(optimizer.has_global_clipnorm() ? "global_clipnorm" : "clipvalue",
                         kOneClip);
    }
    if (optimizer.has_ema_momentum() && optimizer.has_moving_average_decay()) {
        return problemAt("ema_momentum", kTwoAverages);
    }
    if (optimizer.has_ema_overwrite_frequency() && !optimizer.has_ema_momentum()) {
        return problemAt("ema_overwrite_frequency", kNoAverages);
    }
    return patternProblem(optimizer);
}

} // namespace

std::optional<OptimizerProblem> rulesProblem(const Optimizer& optimizer)
{
    return optimizer.rules() == OptimizerRules::keras ? kerasProblem(optimizer)
                                                      : estimatorProblem(optimizer);
}

} // namespace cannery::spec
