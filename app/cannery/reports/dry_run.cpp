// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/reports/dry_run.h"

#include "app/cannery/console/command.h"
#include "app/cannery/reports/model_plan.h"
#include "app/cannery/reports/plan_json.h"
#include "app/cannery/reports/plan_report.h"
#include "core/data/dataset.h"
#include "core/reports/report_json.h"
#include "core/spec/message_access.h"
#include "core/spec/spec_resolver.h"
#include "core/spec/text/text_format.h"
#include "core/train/preparation/dataset_loader.h"
#include "storage/tf/checkpoints/checkpoint_state.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace cannery::app {

namespace {

std::string cadenceText(const spec::RunConfig& config)
{
    if (config.save_checkpoints_steps() > 0) {
        return fmt::format("every {} steps, and at the end", config.save_checkpoints_steps());
    }
    if (config.save_checkpoints_secs() > 0) {
        return fmt::format("every {} seconds, and at the end", config.save_checkpoints_secs());
    }
    return "at the beginning and at the end";
}

std::string evaluationText(const spec::EvalSpec& spec, std::int64_t rows)
{
    if (rows == 0) {
        return "never: there are no rows to evaluate on";
    }
    const std::string batches =
        spec.steps() > 0 ? fmt::format("at most {} batches", spec.steps()) : "all batches";
    return fmt::format("after a checkpoint, at least {} seconds apart: {} of {} rows",
                       spec.throttle_secs(), batches, spec.input().batch_size());
}

Result<reports::DryRun> outlookOf(const DryRunRequest& request, const spec::Experiment& resolved,
                                  const ModelPlan& plan)
{
    CANNERY_TRY_ASSIGN(const data::Dataset train,
                       data::Dataset::open(resolved.data(), request.folder, data::DataPart::Train));
    reports::DryRun outlook;
    outlook.mutable_reads()->Assign(train.files().begin(), train.files().end());
    if (resolved.data().has_eval()) {
        CANNERY_TRY_ASSIGN(const data::Dataset eval,
                           data::Dataset::openEval(resolved.data(), request.folder, train));
        outlook.mutable_reads()->Add(eval.files().begin(), eval.files().end());
    }
    outlook.set_writes(request.modelDir.empty()
                           ? "a new run of the project in " +
                                 (request.folder.empty() ? "." : request.folder)
                           : request.modelDir);
    if (!request.modelDir.empty()) {
        CANNERY_TRY_ASSIGN(const auto latest, storage::latestCheckpoint(request.modelDir));
        outlook.set_from_step(latest ? storage::checkpointStep(*latest).value_or(0) : 0);
    }
    const std::int64_t batch = resolved.train_spec().input().batch_size();
    outlook.set_batches_per_epoch(resolved.train_spec().input().drop_remainder()
                                      ? plan.trainRows / batch
                                      : (plan.trainRows + batch - 1) / batch);
    outlook.set_saves(cadenceText(resolved.run_config()));
    outlook.set_evaluates(evaluationText(resolved.eval_spec(), plan.evalRows));
    if (plan.evalRows > 0) {
        for (const spec::Exporter& exporter : resolved.eval_spec().exporter()) {
            outlook.add_exports(spec::memberField(exporter)->name());
        }
    }
    for (const spec::SavingListener& listener : resolved.train_spec().saving_listener()) {
        outlook.add_programs(fmt::format("{}: {}",
                                         spec::SavingListener::Moment_Name(listener.when()),
                                         fmt::join(listener.command(), " ")));
    }
    return outlook;
}

void print(const Console& console, const DryRunRequest& request, const reports::DryRun& outlook,
           const ModelPlan& plan)
{
    const auto line = [&](const char* what, const std::string& text) {
        console.result(fmt::format("{:<11} {}", what, text));
    };
    printPlan(console, plan);
    line("reads", fmt::format("{}", fmt::join(outlook.reads(), ", ")));
    line("writes", outlook.writes());
    line("steps", fmt::format("from {} to {}, {} batches per epoch", outlook.from_step(),
                              plan.steps ? fmt::format("{}", *plan.steps) : "no end",
                              outlook.batches_per_epoch()));
    line("saves", outlook.saves());
    line("evaluates", outlook.evaluates());
    line("exports", outlook.exports().empty()
                        ? "nothing"
                        : fmt::format("{}", fmt::join(outlook.exports(), ", ")));
    for (const std::string& program : outlook.programs()) {
        line("program", program + (request.allowsCommands ? "" : " (needs --allow-commands)"));
    }
}

} // namespace

ExitCode dryRun(Console& console, const DryRunRequest& request)
{
    spec::Experiment experiment = request.experiment;
    if (request.seed) {
        experiment.mutable_run_config()->set_tf_random_seed(*request.seed);
    }
    const Result<ModelPlan> plan =
        planTraining({.experiment = experiment, .folder = request.folder, .measure = false});
    if (!plan) {
        return reportFailure(console, plan.error());
    }
    const spec::Experiment resolved = spec::resolve(experiment);
    Result<reports::DryRun> outlook = outlookOf(request, resolved, *plan);
    if (!outlook) {
        return reportFailure(console, outlook.error());
    }
    if (request.json) {
        outlook->set_experiment(spec::printExperiment(resolved));
        *outlook->mutable_plan() = planReport(*plan);
        console.document(reports::reportJson(*outlook, 2));
        return ExitCode::Done;
    }
    console.content(spec::printExperiment(resolved));
    console.result("");
    print(console, request, *outlook, *plan);
    return ExitCode::Done;
}

} // namespace cannery::app
