// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/reports/plan_report.h"

#include "app/cannery/reports/progress_printer.h"
#include "core/base/byte_text.h"
#include "core/base/text_table.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

namespace cannery::app {

namespace {

constexpr std::string_view kPerStep = " per step";

/// "0.05 at step 0, 0.025 at 500, 0 at 1000".
std::string ratesText(const LearningRateCurve& curve)
{
    const auto& points = curve.points;
    std::string text = fmt::format("{:.4g} at step {}", points.front().rate, points.front().step);
    if (points.size() > 2) {
        const LearningRateCurve::Point& middle = points[points.size() / 2];
        text += fmt::format(", {:.4g} at {}", middle.rate, middle.step);
    }
    return text + fmt::format(", {:.4g} at {}", points.back().rate, points.back().step);
}

std::string bytesText(std::int64_t count)
{
    return byteText(static_cast<double>(count));
}

void printMemory(const Console& console, const ModelPlan& plan)
{
    console.result(
        plan.learnerBytes > 0
            ? fmt::format("{:<11} about {} at the end: {} for trees, {} to save them, {} to grow "
                          "them, {} for rows",
                          "memory", bytesText(plan.memoryBytes()), bytesText(plan.stateBytes),
                          bytesText(plan.checkpointCopyBytes()), bytesText(plan.learnerBytes),
                          bytesText(plan.rowBytes))
            : fmt::format("{:<11} about {}: {} for weights and optimizer, {} to save them, {} for "
                          "gradients, {} for a batch, {} for rows",
                          "memory", bytesText(plan.memoryBytes()), bytesText(plan.stateBytes),
                          bytesText(plan.checkpointCopyBytes()), bytesText(plan.gradientBytes),
                          bytesText(plan.activationBytes), bytesText(plan.rowBytes)));
}

} // namespace

void printLearningRates(const Console& console, const std::vector<LearningRateCurve>& curves)
{
    for (const LearningRateCurve& curve : curves) {
        console.result(fmt::format("{:<11} {} ({}{}{})", "rate", ratesText(curve), curve.optimizer,
                                   curve.schedule.empty() ? "" : ", ", curve.schedule));
    }
}

void printPlan(const Console& console, const ModelPlan& plan)
{
    std::vector<std::vector<std::string>> rows;
    for (const PlannedLayer& layer : plan.layers) {
        rows.push_back(
            {layer.name, layer.type,
             fmt::format("{}{}", fmt::join(layer.inputs, " + "), layer.readsSteps ? kPerStep : ""),
             fmt::format("{}{}", fmt::join(layer.shape, " x "), layer.givesSteps ? kPerStep : ""),
             fmt::format("{}", layer.parameters)});
    }
    for (const std::string& line :
         alignedTable({"layer", "type", "inputs", "outputs", "parameters"}, rows)) {
        console.result(line);
    }
    console.result("");
    console.result(fmt::format("{:<11} {} ({} trainable)", "parameters", plan.parameters,
                               plan.trainableParameters));
    console.result(fmt::format("{:<11} {} to train on, {} to evaluate on", "rows", plan.trainRows,
                               plan.evalRows));
    printMemory(console, plan);
    if (plan.warmStart) {
        console.result(
            plan.warmStart->problem
                ? fmt::format("{:<11} {}", "warm start", plan.warmStart->problem->message())
                : fmt::format("{:<11} {} of {} variables from {}", "warm start",
                              plan.warmStart->restored.size(),
                              plan.warmStart->restored.size() + plan.warmStart->fresh.size(),
                              plan.warmStart->checkpoint));
    }
    printLearningRates(console, plan.learningRates);
    if (plan.measuredSteps > 0) {
        console.result(fmt::format("{:<11} {:.0f} to {:.0f} steps/s ({} steps measured), {} per "
                                   "epoch",
                                   "speed", 1 / plan.secondsPerStepHigh, 1 / plan.secondsPerStepLow,
                                   plan.measuredSteps, durationText(plan.secondsPerEpoch)));
        if (plan.mayTrainOnGpu) {
            console.result(fmt::format("{:<11} speed and time are of the CPU; what a GPU would "
                                       "take is not measured",
                                       ""));
        }
    }
    if (plan.measuredBytes > 0) {
        console.result(fmt::format("{:<11} {} while measuring with {} rows, {} of it the program",
                                   "peak", bytesText(plan.measuredBytes), plan.measuredRows,
                                   bytesText(plan.programBytes)));
    }
    if (plan.seconds) {
        console.result(fmt::format("{:<11} about {} ({} to {}) for {} steps and their evaluations",
                                   "time", durationText(*plan.seconds),
                                   durationText(plan.secondsLow), durationText(plan.secondsHigh),
                                   *plan.steps));
    }
}

} // namespace cannery::app
