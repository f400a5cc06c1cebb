// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/plan_command.h"

#include "app/cannery/experiment_input.h"
#include "app/cannery/model_plan.h"
#include "app/cannery/plan_json.h"
#include "app/cannery/progress_printer.h"
#include "app/cannery/strategy_report.h"
#include "core/base/byte_text.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

namespace cannery::app {

namespace {

constexpr ErrorKind kWorkers{
    "command.usage.planned_workers",
    "--workers says how many workers a cluster has: 1 to {}, not {}. Try 'cannery help plan'."};

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
             fmt::format("{}{}", layer.width, layer.givesSteps ? kPerStep : ""),
             fmt::format("{}", layer.parameters)});
    }
    for (const std::string& line :
         alignedTable({"layer", "type", "inputs", "outputs", "parameters"}, rows)) {
        console.result(line);
    }
    const auto bytes = [](std::int64_t count) { return byteText(static_cast<double>(count)); };
    console.result("");
    console.result(fmt::format("{:<11} {} ({} trainable)", "parameters", plan.parameters,
                               plan.trainableParameters));
    console.result(fmt::format("{:<11} {} to train on, {} to evaluate on", "rows", plan.trainRows,
                               plan.evalRows));
    console.result(fmt::format("{:<11} about {}: {} for weights and optimizer, {} to save them, "
                               "{} for gradients, {} for "
                               "a batch, {} for rows",
                               "memory", bytes(plan.memoryBytes()), bytes(plan.stateBytes),
                               bytes(plan.checkpointCopyBytes()), bytes(plan.gradientBytes),
                               bytes(plan.activationBytes), bytes(plan.rowBytes)));
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
    }
    if (plan.measuredBytes > 0) {
        console.result(fmt::format("{:<11} {} while measuring with {} rows, {} of it the program",
                                   "peak", bytes(plan.measuredBytes), plan.measuredRows,
                                   bytes(plan.programBytes)));
    }
    if (plan.seconds) {
        console.result(fmt::format("{:<11} about {} ({} to {}) for {} steps and their evaluations",
                                   "time", durationText(*plan.seconds),
                                   durationText(plan.secondsLow), durationText(plan.secondsHigh),
                                   *plan.steps));
    }
}

} // namespace

void PlanCommand::declare(OptionSet& options)
{
    options.argument("FILE", m_file, "an experiment file");
    options.option("--set", "PATH=VALUE", m_overrides, "override a field (repeatable)");
    options.flag("--no-measure", m_noMeasure, "take no steps and estimate no time");
    options.flag("--probe", m_probe,
                 "measure the other strategies and the exchange of messages on this machine, too, "
                 "for about a second, and print how fast each number of workers is");
    options.choice("--network", networkChoices(), m_network,
                   "the network between workers, in Gbit/s (default: 10); loopback is measured");
    options.option("--workers", "N", m_workers,
                   "print what a cluster of N workers would do (default: 1)");
    options.flag("--learning-rates", m_ratesOnly,
                 "print only the learning rates, without building the model");
    options.option("--train-rows", "N", m_trainRows,
                   "with --learning-rates: the number of training rows, instead of counting them");
    options.flag("--json", m_json, "print one JSON object");
    declareProgress(options, m_progress);
}

/// Checks only the text: fast enough to follow typing.
ExitCode PlanCommand::runLearningRates(const Console& console) const
{
    const auto input = readExperiment(console, m_file, m_overrides);
    if (!input) {
        return input.error();
    }
    const auto curves = planLearningRates({.experiment = input->experiment,
                                           .folder = input->folder.string(),
                                           .trainRows = m_trainRows});
    if (!curves) {
        return reportFailure(console, curves.error());
    }
    if (m_json) {
        console.document(learningRatesJson(*curves));
    } else {
        printLearningRates(console, *curves);
    }
    return ExitCode::Done;
}

ExitCode PlanCommand::run(Console& console)
{
    if (m_ratesOnly) {
        return runLearningRates(console);
    }
    const std::int64_t workers = m_workers.value_or(1);
    if (workers < 1 || workers > strategies::kMostWorkers) {
        return reportFailure(console, error(ErrorCode::InvalidArgument, kWorkers,
                                            strategies::kMostWorkers, workers));
    }
    console.setJsonProgress(m_progress == "json");
    const auto input = readTrainableExperiment(console, m_file, m_overrides);
    if (!input) {
        return input.error();
    }
    const Result<ModelPlan> plan =
        planTraining({.experiment = input->experiment,
                      .folder = input->folder.string(),
                      .measure = !m_noMeasure,
                      .strategies = {.probe = m_probe,
                                     .workers = workers,
                                     .network = m_network.value_or(kDefaultNetwork)},
                      .progress = [&](const std::string& what) { console.advance(-1, what); }});
    console.clearProgress();
    if (!plan) {
        return reportFailure(console, plan.error());
    }
    if (m_json) {
        console.document(planJson(*plan));
    } else {
        printPlan(console, *plan);
        printStrategies(console, plan->strategies, m_probe || m_workers || m_network);
    }
    return ExitCode::Done;
}

} // namespace cannery::app
