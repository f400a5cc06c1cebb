// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/reports/dry_run.h"

#include "app/cannery/console/command.h"
#include "app/cannery/reports/model_plan.h"
#include "app/cannery/reports/plan_json.h"
#include "app/cannery/reports/plan_report.h"
#include "core/base/json_text.h"
#include "core/data/dataset.h"
#include "core/spec/message_access.h"
#include "core/spec/spec_resolver.h"
#include "core/spec/text/text_format.h"
#include "core/train/preparation/dataset_loader.h"
#include "storage/tf/checkpoints/checkpoint_state.h"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <vector>

namespace cannery::app {

using Json = nlohmann::ordered_json;

namespace {

/// What a training would do, in words.
struct Outlook
{
    std::vector<std::string> reads;
    std::string writes;
    std::int64_t fromStep = 0;
    std::int64_t batchesPerEpoch = 0;
    std::string saves;
    std::string evaluates;
    std::vector<std::string> exports;
    std::vector<std::string> programs;
};

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

Result<Outlook> outlookOf(const DryRunRequest& request, const spec::Experiment& resolved,
                          const ModelPlan& plan)
{
    CANNERY_TRY_ASSIGN(const data::Dataset train,
                       data::Dataset::open(resolved.data(), request.folder, data::DataPart::Train));
    Outlook outlook{.reads = train.files()};
    if (resolved.data().has_eval()) {
        CANNERY_TRY_ASSIGN(const data::Dataset eval,
                           data::Dataset::openEval(resolved.data(), request.folder, train));
        outlook.reads.insert(outlook.reads.end(), eval.files().begin(), eval.files().end());
    }
    outlook.writes = request.modelDir.empty() ? "a new run of the project in " +
                                                    (request.folder.empty() ? "." : request.folder)
                                              : request.modelDir;
    if (!request.modelDir.empty()) {
        CANNERY_TRY_ASSIGN(const auto latest, storage::latestCheckpoint(request.modelDir));
        outlook.fromStep = latest ? storage::checkpointStep(*latest).value_or(0) : 0;
    }
    const std::int64_t batch = resolved.train_spec().input().batch_size();
    outlook.batchesPerEpoch = resolved.train_spec().input().drop_remainder()
                                  ? plan.trainRows / batch
                                  : (plan.trainRows + batch - 1) / batch;
    outlook.saves = cadenceText(resolved.run_config());
    outlook.evaluates = evaluationText(resolved.eval_spec(), plan.evalRows);
    if (plan.evalRows > 0) {
        for (const spec::Exporter& exporter : resolved.eval_spec().exporter()) {
            outlook.exports.push_back(spec::memberField(exporter)->name());
        }
    }
    for (const spec::SavingListener& listener : resolved.train_spec().saving_listener()) {
        outlook.programs.push_back(fmt::format("{}: {}",
                                               spec::SavingListener::Moment_Name(listener.when()),
                                               fmt::join(listener.command(), " ")));
    }
    return outlook;
}

void print(const Console& console, const DryRunRequest& request, const Outlook& outlook,
           const ModelPlan& plan)
{
    const auto line = [&](const char* what, const std::string& text) {
        console.result(fmt::format("{:<11} {}", what, text));
    };
    printPlan(console, plan);
    line("reads", fmt::format("{}", fmt::join(outlook.reads, ", ")));
    line("writes", outlook.writes);
    line("steps", fmt::format("from {} to {}, {} batches per epoch", outlook.fromStep,
                              plan.steps ? fmt::format("{}", *plan.steps) : "no end",
                              outlook.batchesPerEpoch));
    line("saves", outlook.saves);
    line("evaluates", outlook.evaluates);
    line("exports",
         outlook.exports.empty() ? "nothing" : fmt::format("{}", fmt::join(outlook.exports, ", ")));
    for (const std::string& program : outlook.programs) {
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
    const Result<Outlook> outlook = outlookOf(request, resolved, *plan);
    if (!outlook) {
        return reportFailure(console, outlook.error());
    }
    if (request.json) {
        console.document(jsonText(Json{{"experiment", spec::printExperiment(resolved)},
                                       {"plan", Json::parse(planJson(*plan))},
                                       {"reads", outlook->reads},
                                       {"writes", outlook->writes},
                                       {"from_step", outlook->fromStep},
                                       {"batches_per_epoch", outlook->batchesPerEpoch},
                                       {"saves", outlook->saves},
                                       {"evaluates", outlook->evaluates},
                                       {"exports", outlook->exports},
                                       {"programs", outlook->programs}},
                                  2));
        return ExitCode::Done;
    }
    console.content(spec::printExperiment(resolved));
    console.result("");
    print(console, request, *outlook, *plan);
    return ExitCode::Done;
}

} // namespace cannery::app
