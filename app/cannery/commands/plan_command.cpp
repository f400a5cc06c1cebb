// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/commands/plan_command.h"

#include "app/cannery/input/experiment_input.h"
#include "app/cannery/reports/model_plan.h"
#include "app/cannery/reports/plan_json.h"
#include "app/cannery/reports/plan_report.h"
#include "app/cannery/reports/strategy_report.h"
#include "core/reports/report_json.h"

namespace cannery::app {

namespace {

constexpr ErrorKind kWorkers{
    "command.usage.planned_workers",
    "--workers says how many workers a cluster has: 1 to {}, not {}. Try 'cannery help plan'."};

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
        console.document(reports::reportJson(learningRatesReport(*curves), 2));
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
        console.document(reports::reportJson(planReport(*plan), 2));
    } else {
        printPlan(console, *plan);
        printStrategies(console, plan->strategies, m_probe || m_workers || m_network);
    }
    return ExitCode::Done;
}

} // namespace cannery::app
