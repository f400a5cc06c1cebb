// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/reports/learning_rates.h"

#include "core/base/catalog.h"
#include "core/optimizers/optimizer_catalog.h"
#include "core/schedules/schedule_catalog.h"
#include "core/spec/message_access.h"

#include <algorithm>

namespace cannery::app {

namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

/// Enough for a smooth curve at any width.
constexpr std::int64_t kMostPoints = 241;

Result<LearningRateCurve> curveOf(const spec::Optimizer& message, std::int64_t steps,
                                  std::uint64_t seed)
{
    CANNERY_TRY_ASSIGN(const std::unique_ptr<optimizers::Optimizer> optimizer,
                       optimizers::makeOptimizer(message, seed));
    LearningRateCurve curve;
    if (const auto* row = findRow(optimizers::optimizerCatalog(), message.kind_case())) {
        curve.optimizer = std::string(row->name);
    }
    const auto* schedule =
        findRow(schedules::scheduleCatalog(), message.learning_rate_schedule().kind_case());
    if (message.has_learning_rate_schedule() && schedule != nullptr) {
        curve.schedule = std::string(schedule->name);
    }
    const std::int64_t last = std::max<std::int64_t>(steps, 1);
    const std::int64_t points = std::min(last + 1, kMostPoints);
    for (std::int64_t i = 0; i < points; ++i) {
        // In this order: the product of two integers might overflow.
        const auto share = static_cast<double>(i) / static_cast<double>(points - 1);
        const std::int64_t step =
            i == points - 1 ? last : static_cast<std::int64_t>(share * static_cast<double>(last));
        optimizer->beginStep(step);
        curve.points.push_back({.step = step, .rate = optimizer->learningRate()});
    }
    const bool isConstant =
        std::all_of(curve.points.begin(), curve.points.end(),
                    [&](const auto& point) { return point.rate == curve.points.front().rate; });
    // Two points draw the same line.
    if (isConstant) {
        curve.points = {curve.points.front(), curve.points.back()};
    }
    return curve;
}

/// Adds the curves of all optimizers in a message that have a learning rate.
Result<void> addCurves(const Message& message, const std::string& path, std::int64_t steps,
                       std::uint64_t seed, std::vector<LearningRateCurve>& curves)
{
    std::vector<const FieldDescriptor*> fields;
    message.GetReflection()->ListFields(message, &fields);
    for (const FieldDescriptor* field : fields) {
        if (!spec::isMessage(*field) || field->is_repeated()) {
            continue;
        }
        const Message& inner = message.GetReflection()->GetMessage(message, field);
        const std::string place = path + '.' + field->name();
        if (inner.GetDescriptor() != spec::Optimizer::descriptor()) {
            CANNERY_TRY(addCurves(inner, place, steps, seed, curves));
            continue;
        }
        const auto& optimizer = static_cast<const spec::Optimizer&>(inner);
        const auto* row = findRow(optimizers::optimizerCatalog(), optimizer.kind_case());
        if (row != nullptr && row->make == nullptr) {
            continue; // without gradients there is no rate
        }
        Result<LearningRateCurve> curve = curveOf(optimizer, steps, seed);
        if (!curve) {
            return tl::make_unexpected(std::move(curve).error().at(place));
        }
        curve->path = place;
        curves.push_back(std::move(*curve));
    }
    return {};
}

} // namespace

Result<std::vector<LearningRateCurve>> learningRates(const spec::Experiment& experiment,
                                                     std::int64_t steps)
{
    std::vector<LearningRateCurve> curves;
    const auto seed = static_cast<std::uint64_t>(experiment.run_config().tf_random_seed());
    CANNERY_TRY(addCurves(experiment.estimator(), "estimator", steps, seed, curves));
    return curves;
}

} // namespace cannery::app
