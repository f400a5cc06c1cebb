// SPDX-License-Identifier: Apache-2.0
#include "core/optimizers/optimizer_catalog.h"

#include "core/base/catalog.h"
#include "core/optimizers/adadelta.h"
#include "core/optimizers/adafactor.h"
#include "core/optimizers/adagrad.h"
#include "core/optimizers/adam.h"
#include "core/optimizers/adamax.h"
#include "core/optimizers/adamw.h"
#include "core/optimizers/ftrl.h"
#include "core/optimizers/keras_optimizers.h"
#include "core/optimizers/lion.h"
#include "core/optimizers/nadam.h"
#include "core/optimizers/proximal_adagrad.h"
#include "core/optimizers/proximal_gradient_descent.h"
#include "core/optimizers/rmsprop.h"
#include "core/optimizers/sgd.h"
#include "core/schedules/schedule_catalog.h"
#include "core/spec/optimizer_rules.h"

#include <array>

namespace cannery::optimizers {
namespace {

constexpr ErrorKind kNoOptimizer{
    "optimizer.none", "The optimizer is empty. Name one of its kinds, such as adagrad {{}}."};
constexpr ErrorKind kNoGradients{
    "optimizer.no_gradients",
    "{} takes no steps along a gradient: it trains the whole of a linear model. Choose another "
    "optimizer."};
constexpr ErrorKind kNadamSchedule{"optimizer.nadam_schedule",
                                   "TensorFlow's legacy Nadam takes no learning_rate_schedule. "
                                   "Give nadam a learning_rate, set rules "
                                   "to keras, or use adam."};
constexpr ErrorKind kTwoNorms{
    "optimizer.two_norms",
    "An optimizer takes clipnorm or global_clipnorm, not both. Remove one of them."};

constexpr std::array kCatalog{
    OptimizerRow{spec::Optimizer::kSgd, "sgd", "SGD", makeSgd, emitSgd, true, makeKerasSgd},
    OptimizerRow{spec::Optimizer::kAdagrad, "adagrad", "Adagrad", makeAdagrad, emitAdagrad, true,
                 makeKerasAdagrad},
    OptimizerRow{spec::Optimizer::kAdam, "adam", "Adam", makeAdam, emitAdam, true, makeKerasAdam},
    OptimizerRow{spec::Optimizer::kRmsprop, "rmsprop", "RMSprop", makeRmsprop, emitRmsprop, true,
                 makeKerasRmsprop},
    OptimizerRow{spec::Optimizer::kFtrl, "ftrl", "Ftrl", makeFtrl, emitFtrl, true, makeKerasFtrl},
    OptimizerRow{spec::Optimizer::kNadam, "nadam", "Nadam", makeNadam, emitNadam, true,
                 makeKerasNadam},
    OptimizerRow{spec::Optimizer::kAdadelta, "adadelta", "Adadelta", makeAdadelta, emitAdadelta,
                 true, makeKerasAdadelta},
    OptimizerRow{spec::Optimizer::kAdamax, "adamax", "Adamax", makeAdamax, emitAdamax, true,
                 makeKerasAdamax},
    OptimizerRow{spec::Optimizer::kAdamw, "adamw", "AdamW", makeAdamW, nullptr, true,
                 makeKerasAdamW},
    OptimizerRow{spec::Optimizer::kLion, "lion", "Lion", makeLion, nullptr, true, makeLion},
    OptimizerRow{spec::Optimizer::kAdafactor, "adafactor", "Adafactor", makeAdafactor, nullptr,
                 true, makeAdafactor},
    OptimizerRow{spec::Optimizer::kProximalGradientDescent, "proximal_gradient_descent",
                 "ProximalGradientDescent", makeProximalGradientDescent,
                 emitProximalGradientDescent, false},
    OptimizerRow{spec::Optimizer::kProximalAdagrad, "proximal_adagrad", "ProximalAdagrad",
                 makeProximalAdagrad, emitProximalAdagrad, false},
    OptimizerRow{spec::Optimizer::kLinearSdca, "linear_sdca", "LinearSDCA", nullptr, nullptr,
                 false},
};

Result<void> readKerasOptions(const spec::Optimizer& message, OptimizerCommon& common)
{
    common.weightDecay = static_cast<float>(message.has_adamw() && !message.has_weight_decay()
                                                ? message.adamw().weight_decay()
                                                : message.weight_decay());
    for (const std::string& text : message.exclude_from_weight_decay()) {
        CANNERY_TRY_ASSIGN(Pattern pattern, Pattern::compile(text));
        common.withoutDecay.push_back(std::move(pattern));
    }
    if (message.has_ema_momentum()) {
        common.averages = WeightAverages{.rate = static_cast<float>(1.0 - message.ema_momentum()),
                                         .overwriteEvery = message.ema_overwrite_frequency()};
    }
    return {};
}

Result<OptimizerCommon> readCommon(const spec::Optimizer& message, std::uint64_t seed)
{
    OptimizerCommon common;
    common.decay = static_cast<float>(message.decay());
    if (message.has_learning_rate_schedule()) {
        if (message.has_nadam() && message.rules() == spec::OptimizerRules::estimator) {
            return fail(ErrorCode::InvalidArgument, kNadamSchedule);
        }
        auto schedule = schedules::makeSchedule(message.learning_rate_schedule(), seed);
        if (!schedule) {
            return tl::make_unexpected(std::move(schedule).error().at("learning_rate_schedule"));
        }
        common.schedule = std::move(*schedule);
    }
    if (message.moving_average_decay() > 0.0) {
        common.movingAverageDecay = static_cast<float>(message.moving_average_decay());
    }
    if (message.rules() == spec::OptimizerRules::keras) {
        CANNERY_TRY(readKerasOptions(message, common));
    }
    // Keras refuses both as well.
    if (message.has_clipnorm() && message.has_global_clipnorm()) {
        return fail(ErrorCode::InvalidArgument, kTwoNorms);
    }
    const auto limit = [](bool given, double value) {
        return given ? std::optional(static_cast<float>(value)) : std::nullopt;
    };
    common.clipping = {.clipvalue = limit(message.has_clipvalue(), message.clipvalue()),
                       .clipnorm = limit(message.has_clipnorm(), message.clipnorm()),
                       .globalClipnorm =
                           limit(message.has_global_clipnorm(), message.global_clipnorm())};
    return common;
}

} // namespace

std::span<const OptimizerRow> optimizerCatalog()
{
    return kCatalog;
}

Result<std::unique_ptr<Optimizer>> makeOptimizer(const spec::Optimizer& message, std::uint64_t seed)
{
    const OptimizerRow* row = findRow(kCatalog, message.kind_case());
    if (row == nullptr) {
        return fail(ErrorCode::InvalidArgument, kNoOptimizer);
    }
    if (row->make == nullptr) {
        return fail(ErrorCode::InvalidArgument, kNoGradients, row->name);
    }
    if (auto problem = spec::rulesProblem(message)) {
        return tl::make_unexpected(std::move(problem->error).at(problem->path.toString()));
    }
    CANNERY_TRY_ASSIGN(OptimizerCommon common, readCommon(message, seed));
    const auto make = message.rules() == spec::OptimizerRules::keras ? row->makeKeras : row->make;
    return make(message, std::move(common));
}

} // namespace cannery::optimizers
