// SPDX-License-Identifier: Apache-2.0
#include "core/train/evaluation/model_evaluation.h"

#include "core/base/check.h"
#include "core/train/evaluation/evaluation_device.h"
#include "core/train/evaluation/evaluator.h"
#include "core/train/evaluation/row_groups.h"
#include "kernels/accelerator/plugin.h"
#include "kernels/device/thread_pool.h"
#include "storage/runs/run_files.h"

namespace cannery::train {
namespace {

Result<data::Dataset> openEvalData(const OpenedModel& model, const std::vector<std::string>& files)
{
    if (files.empty()) {
        return data::Dataset::open(model.experiment.data(), model.folder, data::DataPart::Eval);
    }
    return data::Dataset::openFiles(model.experiment.data(), model.folder, files);
}

} // namespace

Result<LoadedRows> loadEvalRows(OpenedModel& model, const std::vector<std::string>& files)
{
    CANNERY_TRY_ASSIGN(const data::Dataset dataset, openEvalData(model, files));
    const spec::RunConfig& config = model.experiment.run_config();
    return loadRows(dataset, model.encoder,
                    {.threads = kernels::lend(model.model->model().threadPool()),
                     .memoryLimit = static_cast<std::uint64_t>(config.cache_memory_mb()) << 20U});
}

std::string openEvaluationDevice(OpenedModel& model)
{
    if (model.evaluationDevice != nullptr) {
        return {};
    }
    const auto info = storage::RunFiles(model.modelDir).readInfo();
    EvaluationDevice device =
        chooseEvaluationDevice({.experiment = model.experiment,
                                .trainedOn = info ? info->device : std::string(),
                                .plugin = kernels::acceleratorPlugin});
    if (device.accelerator != nullptr) {
        model.evaluationDevice = std::move(device.own);
        model.model->deviceEvaluations().runOn(*device.accelerator,
                                               precisionOf(evaluationStrategy(model.experiment)));
    }
    return device.note;
}

Result<EvaluationResult> evaluateModel(OpenedModel& model, const EvaluateModelRequest& request)
{
    CANNERY_TRY_ASSIGN(const LoadedRows loaded, loadEvalRows(model, request.files));
    CANNERY_TRY_ASSIGN(const std::vector<RowGroups> slices,
                       readSlices(model.experiment, model.folder, request.files,
                                  loaded.rows.rowCount(),
                                  kernels::lend(model.model->model().threadPool())));
    const std::string note = openEvaluationDevice(model);
    EvaluationRequest evaluation = evaluationOf(model.experiment);
    evaluation.steps = request.steps.value_or(request.files.empty() ? evaluation.steps : 0);
    evaluation.name = request.name;
    evaluation.slices = slices;
    evaluation.checkpoint = model.checkpoint;
    evaluation.globalStep = model.globalStep;
    evaluation.progress = request.progress;
    Result<std::optional<EvaluationResult>> evaluated =
        evaluate(*model.model, loaded.rows, evaluation);
    model.model->deviceEvaluations().forgetRows(); // which are gone soon
    CANNERY_TRY_ASSIGN(std::optional<EvaluationResult> result, std::move(evaluated));
    CANNERY_CHECK(result.has_value()); // only a stop flag could prevent it
    if (!note.empty()) {
        result->note = note;
    }
    return std::move(*result);
}

} // namespace cannery::train
