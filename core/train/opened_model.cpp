// SPDX-License-Identifier: Apache-2.0
#include "core/train/opened_model.h"

#include "core/estimators/estimator_catalog.h"
#include "core/export/served_experiment.h"
#include "core/plan/part_optimizer.h"
#include "core/train/checkpoints/checkpoint_recovery.h"
#include "core/train/checkpoints/checkpoint_restore.h"
#include "core/train/preparation/dataset_loader.h"
#include "core/train/records/frozen_experiment.h"
#include "kernels/device/thread_pool.h"
#include "storage/io/files.h"
#include "storage/tf/checkpoints/checkpoint_reader.h"
#include "storage/tf/graphs/saved_model_reader.h"

#include <algorithm>

namespace cannery::train {
namespace {

constexpr ErrorKind kNoFolder{"train.no_model_dir",
                              "There is no folder {}; name a run or a model_dir."};
constexpr ErrorKind kNoSavedModel{"train.no_saved_model",
                                  "{} is not a SavedModel: it has no saved_model.pb."};
constexpr ErrorKind kNoVariables{
    "train.saved_model_empty",
    "The SavedModel {} has no variables. Name another one, or export its run again."};
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

int threadsFor(int wanted, const spec::Experiment& experiment)
{
    return kernels::threadCount(wanted > 0 ? wanted : experiment.run_config().threads());
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
        // A SavedModel without an experiment does not name its table, so this deserves its own
        // sentence.
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
    // Statistics for normalizers are read from the table, which several threads share.
    kernels::ThreadPool pool(threadsFor(request.threads, answers.experiment));
    CANNERY_TRY_ASSIGN(spec::Experiment resolved,
                       resolveWithStatistics(answers.experiment, answers.trainData, std::nullopt,
                                             kernels::lend(pool)));
    if (frozen) {
        // Rows to predict may come from another table than those of training.
        CANNERY_TRY(checkSameExperiment(request.modelDir, frozen->experiment, resolved,
                                        Purpose::Inference));
    }
    return FoundExperiment{std::move(resolved), request.experimentFolder};
}

/// The model of an experiment, for values that are to be restored: drawing initial ones would take
/// longer than reading them, and the checkpoint that they come from may be gone.
Result<OpenedModel> buildModel(FoundExperiment found, int threads)
{
    CANNERY_TRY_ASSIGN(features::FeatureEncoder encoder,
                       features::FeatureEncoder::create(found.experiment, found.folder));
    CANNERY_TRY_ASSIGN(graph::LoweredModel lowered,
                       estimators::lower(found.experiment, encoder.layout()));
    for (graph::Variable& variable : lowered.graph.variables) {
        variable.initialCheckpoint = {};
        variable.initializer.mutable_zeros();
        variable.pattern = graph::InitialPattern::None;
    }
    const spec::Experiment& experiment = found.experiment;
    CANNERY_TRY_ASSIGN(
        std::unique_ptr<plan::Model> model,
        plan::Model::create(lowered, {.maxBatchSize = experiment.eval_spec().input().batch_size(),
                                      .threads = threadsFor(threads, experiment),
                                      .training = false,
                                      .folder = found.folder}));
    return OpenedModel{.experiment = std::move(found.experiment),
                       .folder = std::move(found.folder),
                       .encoder = std::move(encoder),
                       .lowered = std::move(lowered),
                       .model = std::make_unique<TrainableModel>(std::move(model))};
}

/// The state with the names that a SavedModel gives the values of its variables.
std::vector<plan::StateTensor> servedState(OpenedModel& model)
{
    std::vector<plan::StateTensor> state = model.model->state();
    for (const graph::Variable& variable : model.lowered.graph.variables) {
        // Averaged weights, for instance, are served under the name of the variable itself.
        const std::string name = plan::inferenceTensor(model.lowered, variable);
        if (name == variable.name) {
            continue;
        }
        const auto found = std::ranges::find(state, name, &plan::StateTensor::name);
        if (found != state.end()) {
            found->name = variable.name;
        }
    }
    return state;
}

/// The model of an experiment with the variables of a SavedModel, a checkpoint's files.
Result<OpenedModel> openServed(FoundExperiment found, const std::string& savedModel,
                               std::string variables, int threads)
{
    CANNERY_TRY_ASSIGN(OpenedModel model, buildModel(std::move(found), threads));
    // Without the optimizer's state: nothing is going to train this model.
    CANNERY_TRY_ASSIGN(model.globalStep, restoreCheckpoint(variables, servedState(model), false));
    model.modelDir = savedModel;
    model.checkpoint = std::move(variables);
    return model;
}

/// A SavedModel is a model_dir with one checkpoint: its variables.
Result<OpenedModel> openServed(const OpenModelRequest& request)
{
    CANNERY_TRY_ASSIGN(FoundExperiment found, experimentFor(request));
    if (request.checkpoint.kind != CheckpointChoice::Kind::Latest) {
        return fail(ErrorCode::InvalidArgument, kOneState, request.modelDir);
    }
    CANNERY_TRY_ASSIGN(storage::SavedModelContent content,
                       storage::readSavedModel(request.modelDir));
    if (!content.checkpointPrefix) {
        return fail(ErrorCode::NotFound, kNoVariables, request.modelDir);
    }
    return openServed(std::move(found), request.modelDir, *std::move(content.checkpointPrefix),
                      request.threads);
}

} // namespace

Result<OpenedModel> openModel(const OpenModelRequest& request)
{
    if (!storage::isFolder(request.modelDir)) {
        return fail(ErrorCode::NotFound, kNoFolder, request.modelDir);
    }
    if (storage::isSavedModel(request.modelDir)) {
        return openServed(request);
    }
    CANNERY_TRY_ASSIGN(FoundExperiment found, experimentFor(request));
    CANNERY_TRY_ASSIGN(FoundCheckpoint checkpoint,
                       findCheckpoint(request.modelDir, request.checkpoint));
    CANNERY_TRY_ASSIGN(OpenedModel model, buildModel(std::move(found), request.threads));
    Result<std::int64_t> step = restoreCheckpoint(checkpoint.prefix, model.model->state(), false);
    if (!step && step.error().code == ErrorCode::DataLoss) {
        // Damage is the one failure that an older checkpoint remedies, so these are listed.
        const std::string older = olderCheckpoints(checkpoint.prefix);
        return tl::make_unexpected(older.empty() ? std::move(step).error()
                                                 : std::move(step).error().with(older));
    }
    CANNERY_TRY(step);
    model.modelDir = request.modelDir;
    model.checkpoint = std::move(checkpoint.prefix);
    model.globalStep = *step;
    model.warning = std::move(checkpoint.warning);
    return model;
}

Result<OpenedModel> openSavedModel(const std::string& folder, int threads)
{
    if (!storage::isSavedModel(folder)) {
        return fail(ErrorCode::NotFound, kNoSavedModel, folder);
    }
    CANNERY_TRY_ASSIGN(spec::Experiment experiment, exporting::readServedExperiment(folder));
    // Before any value is read: a damaged file would otherwise be found in the middle.
    CANNERY_TRY(storage::checkSavedModel(folder));
    std::string variables = storage::joinPath(folder, "variables/variables");
    if (!storage::checkpointExists(variables)) {
        return fail(ErrorCode::NotFound, kNoVariables, folder);
    }
    return openServed({.experiment = std::move(experiment), .folder = folder}, folder,
                      std::move(variables), threads);
}

} // namespace cannery::train
