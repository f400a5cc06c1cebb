#include "app/cannery/model_input.h"

#include "app/cannery/command.h"
#include "app/cannery/experiment_input.h"
#include "core/estimators/estimator_catalog.h"
#include "core/train/checkpoint_restore.h"
#include "core/train/checkpoint_store.h"
#include "core/train/dataset_loader.h"
#include "core/train/frozen_experiment.h"
#include "storage/runs/run_store.h"

#include <algorithm>
#include <filesystem>
#include <thread>

namespace cannery::app {

namespace fs = std::filesystem;

namespace {

constexpr ErrorKind kModelDirNeeded{
    "command.usage",
    "{} is an experiment; say where its model is with --model-dir, or name a run instead."};
constexpr ErrorKind kNotARun{"checkpoint.not_a_run", "The folder {} holds no run of Cannery."};

/// Where a model is and what it is.
struct FoundModel
{
    spec::Experiment experiment;
    std::string folder;
    std::string modelDir;
};

Result<FoundModel> frozenIn(const std::string& modelDir)
{
    CANNERY_TRY_ASSIGN(std::optional<train::FrozenExperiment> frozen,
                       train::readFrozenExperiment(modelDir));
    if (!frozen) {
        return fail(ErrorCode::NotFound, kNotARun, modelDir);
    }
    return FoundModel{.experiment = std::move(frozen->experiment),
                      .folder = std::move(frozen->folder),
                      .modelDir = modelDir};
}

Result<FoundModel> findRun(const ModelOptions& options)
{
    if (fs::is_directory(options.subject)) {
        return frozenIn(options.subject);
    }
    if (fs::is_regular_file(options.subject)) {
        return fail(ErrorCode::InvalidArgument, kModelDirNeeded, options.subject);
    }
    CANNERY_TRY_ASSIGN(storage::RunStore store,
                       storage::RunStore::open(options.project.value_or(".")));
    CANNERY_TRY_ASSIGN(const std::string run, store.find(options.subject));
    return frozenIn(store.folderOf(run));
}

/// An experiment with a model_dir: what the folder froze when Cannery began it, else the file.
Result<FoundModel> findInModelDir(const ExperimentReport& input, const std::string& modelDir)
{
    CANNERY_TRY_ASSIGN(const spec::Experiment resolved,
                       train::resolveWithStatistics(input.experiment, input.folder.string()));
    CANNERY_TRY_ASSIGN(const std::optional<train::FrozenExperiment> frozen,
                       train::readFrozenExperiment(modelDir));
    if (frozen) {
        CANNERY_TRY(train::checkSameExperiment(modelDir, frozen->experiment, resolved));
    }
    return FoundModel{.experiment = frozen ? frozen->experiment : resolved,
                      .folder = input.folder.string(),
                      .modelDir = modelDir};
}

Result<LoadedModel> load(FoundModel found, const ModelOptions& options)
{
    CANNERY_TRY_ASSIGN(const train::CheckpointChoice choice,
                       train::CheckpointChoice::parse(options.checkpoint.value_or("latest")));
    CANNERY_TRY_ASSIGN(std::string checkpoint, train::findCheckpoint(found.modelDir, choice));
    CANNERY_TRY_ASSIGN(features::FeatureEncoder encoder,
                       features::FeatureEncoder::create(found.experiment, found.folder));
    CANNERY_TRY_ASSIGN(graph::LoweredModel lowered,
                       estimators::lower(found.experiment, encoder.layout()));
    CANNERY_TRY_ASSIGN(std::unique_ptr<plan::Model> model,
                       plan::Model::create(lowered, {.threads = threadCount(options.threads),
                                                     .training = false,
                                                     .folder = found.folder}));
    CANNERY_TRY_ASSIGN(const std::int64_t step,
                       train::restoreCheckpoint(checkpoint, model->state(), false));
    return LoadedModel{.experiment = std::move(found.experiment),
                       .folder = std::move(found.folder),
                       .modelDir = std::move(found.modelDir),
                       .checkpoint = std::move(checkpoint),
                       .globalStep = step,
                       .encoder = std::move(encoder),
                       .lowered = std::move(lowered),
                       .model = std::make_unique<train::ModelTrainable>(std::move(model))};
}

} // namespace

void ModelOptions::declare(OptionSet& options)
{
    options.argument("RUN", subject,
                     "a run (name, title, folder or 'latest'), or an experiment file "
                     "together with --model-dir");
    options.option("--model-dir", "DIR", modelDir, "the model of the experiment file");
    options.option("--project", "DIR", project, "the project of the run (default: this folder)");
    options.option("--checkpoint", "best|latest|STEP", checkpoint,
                   "which checkpoint (default: latest)");
    options.option("--threads", "N", threads, "threads (default: all cores)");
}

tl::expected<LoadedModel, ExitCode> loadModel(const Console& console, const ModelOptions& options)
{
    Result<FoundModel> found;
    if (options.modelDir) {
        const auto input = readExperiment(console, options.subject, {});
        if (!input) {
            return tl::make_unexpected(input.error());
        }
        found = findInModelDir(*input, *options.modelDir);
    } else {
        found = findRun(options);
    }
    if (!found) {
        return tl::make_unexpected(reportFailure(console, found.error()));
    }
    Result<LoadedModel> loaded = load(std::move(*found), options);
    if (!loaded) {
        return tl::make_unexpected(reportFailure(console, loaded.error()));
    }
    return std::move(*loaded);
}

int threadCount(std::optional<std::int64_t> wanted)
{
    const std::int64_t count = wanted.value_or(0);
    return count > 0 ? static_cast<int>(count)
                     : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

} // namespace cannery::app
