#include "app/cannery/evaluate_command.h"

#include "app/cannery/evaluation_view.h"
#include "core/data/dataset.h"
#include "core/train/dataset_loader.h"
#include "core/train/evaluator.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace cannery::app {

namespace {

Result<data::Dataset> openRows(const LoadedModel& model, const std::vector<std::string>& files)
{
    const spec::Data& data = model.experiment.data();
    return files.empty() ? data::Dataset::open(data, model.folder, data::DataPart::Eval)
                         : data::Dataset::openFiles(data, model.folder, files);
}

Result<train::EvaluationResult> evaluate(LoadedModel& model, const std::vector<std::string>& files,
                                         int threads)
{
    CANNERY_TRY_ASSIGN(const data::Dataset dataset, openRows(model, files));
    CANNERY_TRY_ASSIGN(const train::LoadedRows rows,
                       train::loadRows(dataset, model.encoder, {.threads = threads}));
    const spec::EvalSpec& evalSpec = model.experiment.eval_spec();
    CANNERY_TRY_ASSIGN(std::optional<train::EvaluationResult> result,
                       train::evaluate(*model.model, rows.rows,
                                       {.input = evalSpec.input(),
                                        .steps = evalSpec.steps(),
                                        .name = evalSpec.name(),
                                        .checkpoint = model.checkpoint,
                                        .globalStep = model.globalStep}));
    return std::move(*result);
}

} // namespace

void EvaluateCommand::declare(OptionSet& options)
{
    m_model.declare(options);
    options.option("--data", "FILE", m_files,
                   "evaluate on this file instead of the experiment's, as often as wanted");
    options.flag("--json", m_json, "print one JSON object");
}

ExitCode EvaluateCommand::run(Console& console)
{
    auto model = loadModel(console, m_model);
    if (!model) {
        return model.error();
    }
    const Result<train::EvaluationResult> result =
        evaluate(*model, m_files, threadCount(m_model.threads));
    if (!result) {
        return reportFailure(console, result.error());
    }
    if (m_json) {
        console.result(nlohmann::ordered_json({{"checkpoint", result->checkpoint},
                                               {"global_step", result->globalStep},
                                               {"rows", result->rows},
                                               {"metrics", nlohmann::ordered_json::parse(
                                                               metricsJson(result->metrics))}})
                           .dump(2));
        return ExitCode::Done;
    }
    console.note(fmt::format("{}: {} rows at step {}", result->checkpoint, result->rows,
                             result->globalStep));
    for (const std::string& line : metricLines(*result)) {
        console.result(line);
    }
    return ExitCode::Done;
}

} // namespace cannery::app
