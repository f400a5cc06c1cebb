// SPDX-License-Identifier: Apache-2.0
#include "core/train/opened_model.h"

#include "core/base/check.h"
#include "core/estimators/estimator_catalog.h"
#include "core/train/checkpoint_recovery.h"
#include "core/train/checkpoint_restore.h"
#include "core/train/engine_name.h"
#include "core/train/evaluator.h"
#include "core/train/frozen_experiment.h"
#include "core/train/row_groups.h"
#include "kernels/device/thread_pool.h"
#include "storage/io/files.h"
#include "storage/tf/saved_model_reader.h"

namespace cannery::train {
namespace {

constexpr ErrorKind kNoFolder{"train.no_model_dir",
                              "There is no folder {}; name a run or a model_dir."};
constexpr ErrorKind kNoExperiment{
    "train.no_experiment",
    "{} contains no experiment; name the experiment file too, with --model-dir."};

constexpr ErrorKind kExportAlone{
    "train.export_alone",
    "{} is a SavedModel, which does not say which table and label it is for. Name its experiment "
    "file too, with --model-dir {}."};
constexpr ErrorKind kOneState{
    "train.export_has_one_state",
    "{} is a SavedModel and has the weights of one step only. Leave out --checkpoint."};
constexpr ErrorKind kNoVariables{"train.export_without_variables",
                                 "The SavedModel {} has no variables to evaluate."};

/// A SavedModel is a model_dir with one checkpoint: its variables.
Result<FoundCheckpoint> checkpointFor(const OpenModelRequest& request)
{
    if (!storage::isSavedModel(request.modelDir)) {
        return findCheckpoint(request.modelDir, request.checkpoint);
    }
    if (request.checkpoint.kind != CheckpointChoice::Kind::Latest) {
        return fail(ErrorCode::InvalidArgument, kOneState, request.modelDir);
    }
    CANNERY_TRY_ASSIGN(storage::SavedModelContent content,
                       storage::readSavedModel(request.modelDir));
    if (!content.checkpointPrefix) {
        return fail(ErrorCode::NotFound, kNoVariables, request.modelDir);
    }
    return FoundCheckpoint{.prefix = *std::move(content.checkpointPrefix)};
}

int threadsFor(const OpenModelRequest& request, const spec::Experiment& experiment)
{
    return threadCount(request.threads > 0 ? request.threads : experiment.run_config().threads());
}

struct FoundExperiment
{
    spec::Experiment experiment;
    std::string folder;
};

Result<FoundExperiment> experimentFor(const OpenModelRequest& request)
{
    CANNERY_TRY_ASSIGN(std::optional<FrozenExperiment> frozen,
                       readFrozenExperiment(request.modelDir));
    if (!request.experiment) {
        if (!frozen && storage::isSavedModel(request.modelDir)) {
            return fail(ErrorCode::InvalidArgument, kExportAlone, request.modelDir,
                        request.modelDir);
        }
        if (!frozen) {
            return fail(ErrorCode::NotFound, kNoExperiment, request.modelDir);
        }
        return FoundExperiment{std::move(frozen->experiment), std::move(frozen->folder)};
    }
    CANNERY_TRY_ASSIGN(AnsweredExperiment answers,
                       openAnswered(*request.experiment, request.experimentFolder,
                                    frozen ? &frozen->experiment : nullptr));
    kernels::ThreadPool pool(threadsFor(request, answers.experiment));
    CANNERY_TRY_ASSIGN(spec::Experiment resolved,
                       resolveWithStatistics(answers.experiment, answers.trainData, std::nullopt,
                                             kernels::lend(pool)));
    if (frozen) {
        CANNERY_TRY(checkSameExperiment(request.modelDir, frozen->experiment, resolved,
                                        Purpose::Inference));
    }
    return FoundExperiment{std::move(resolved), request.experimentFolder};
}

Result<data::Dataset> openEvalData(const OpenedModel& model, const std::vector<std::string>& files)
{
    if (files.empty()) {
        return data::Dataset::open(model.experiment.data(), model.folder, data::DataPart::Eval);
    }
    return data::Dataset::openFiles(model.experiment.data(), model.folder, files);
}

} // namespace

Result<OpenedModel> openModel(const OpenModelRequest& request)
{
    if (!storage::isFolder(request.modelDir)) {
        return fail(ErrorCode::NotFound, kNoFolder, request.modelDir);
    }
    CANNERY_TRY_ASSIGN(FoundExperiment found, experimentFor(request));
    CANNERY_TRY_ASSIGN(FoundCheckpoint checkpoint, checkpointFor(request));
    CANNERY_TRY_ASSIGN(features::FeatureEncoder encoder,
                       features::FeatureEncoder::create(found.experiment, found.folder));
    CANNERY_TRY_ASSIGN(graph::LoweredModel lowered,
                       estimators::lower(found.experiment, encoder.layout()));
    const spec::Experiment& experiment = found.experiment;
    CANNERY_TRY_ASSIGN(
        std::unique_ptr<plan::Model> model,
        plan::Model::create(lowered, {.maxBatchSize = experiment.eval_spec().input().batch_size(),
                                      .threads = threadsFor(request, experiment),
                                      .training = false,
                                      .folder = found.folder}));
    Result<std::int64_t> step = restoreCheckpoint(checkpoint.prefix, model->state(), false);
    if (!step && step.error().code == ErrorCode::DataLoss) {
        const std::string older = olderCheckpoints(checkpoint.prefix);
        return tl::make_unexpected(older.empty() ? std::move(step).error()
                                                 : std::move(step).error().with(older));
    }
    CANNERY_TRY(step);
    return OpenedModel{.experiment = std::move(found.experiment),
                       .folder = std::move(found.folder),
                       .modelDir = request.modelDir,
                       .checkpoint = std::move(checkpoint.prefix),
                       .globalStep = *step,
                       .warning = std::move(checkpoint.warning),
                       .encoder = std::move(encoder),
                       .lowered = std::move(lowered),
                       .model = std::make_unique<TrainableModel>(std::move(model))};
}

Result<LoadedRows> loadEvalRows(OpenedModel& model, const std::vector<std::string>& files)
{
    CANNERY_TRY_ASSIGN(const data::Dataset dataset, openEvalData(model, files));
    const spec::RunConfig& config = model.experiment.run_config();
    return loadRows(dataset, model.encoder,
                    {.threads = kernels::lend(model.model->model().threadPool()),
                     .memoryLimit = static_cast<std::uint64_t>(config.cache_memory_mb()) << 20U});
}

Result<EvaluationResult> evaluateModel(OpenedModel& model, const EvaluateModelRequest& request)
{
    CANNERY_TRY_ASSIGN(const LoadedRows loaded, loadEvalRows(model, request.files));
    CANNERY_TRY_ASSIGN(const std::vector<RowGroups> slices,
                       readSlices(model.experiment, model.folder, request.files,
                                  loaded.rows.rowCount(),
                                  kernels::lend(model.model->model().threadPool())));
    EvaluationRequest evaluation = evaluationOf(model.experiment);
    evaluation.steps = request.steps.value_or(request.files.empty() ? evaluation.steps : 0);
    evaluation.name = request.name;
    evaluation.slices = slices;
    evaluation.checkpoint = model.checkpoint;
    evaluation.globalStep = model.globalStep;
    evaluation.progress = request.progress;
    CANNERY_TRY_ASSIGN(std::optional<EvaluationResult> result,
                       evaluate(*model.model, loaded.rows, evaluation));
    CANNERY_CHECK(result.has_value()); // only a stop flag could prevent it
    return std::move(*result);
}

} // namespace cannery::train
