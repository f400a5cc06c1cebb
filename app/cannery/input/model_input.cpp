// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/input/model_input.h"

#include "app/cannery/console/command.h"
#include "app/cannery/console/read_only_note.h"
#include "app/cannery/input/experiment_input.h"
#include "core/serving/prediction_model.h"
#include "core/train/records/run_recorder.h"
#include "storage/runs/run_store.h"

#include <filesystem>

namespace cannery::app {

namespace fs = std::filesystem;

namespace {

constexpr ErrorKind kModelDirNeeded{
    "command.usage.no_model_dir",
    "{} is an experiment: give its model with --model-dir, or name a run instead."};

/// What to open, except for the experiment that goes with a --model-dir.
Result<train::OpenModelRequest> requestFor(const ModelOptions& options)
{
    train::OpenModelRequest request{.threads = static_cast<int>(options.threads.value_or(0))};
    CANNERY_TRY_ASSIGN(request.checkpoint,
                       train::CheckpointChoice::parse(options.checkpoint.value_or("latest")));
    if (options.modelDir) {
        request.modelDir = *options.modelDir;
    } else {
        CANNERY_TRY_ASSIGN(request.modelDir, findRunFolder(options.subject, options.project));
    }
    return request;
}

} // namespace

void ModelOptions::declare(OptionSet& options, bool servedToo)
{
    isServedToo = servedToo;
    options.argument("RUN", subject,
                     std::string("a run (name, title, folder or 'latest'), or an experiment file "
                                 "together with --model-dir") +
                         (servedToo ? "; or one model: a checkpoint such as model.ckpt-200, or a "
                                      "SavedModel that this program has exported"
                                    : ""));
    options.option("--model-dir", "DIR", modelDir,
                   "the model of the experiment file: its model_dir, or a SavedModel of it");
    options.option("--project", "DIR", project, "the run's project (default: this folder)");
    options.option("--checkpoint", "best|latest|STEP", checkpoint,
                   "which checkpoint (default: latest)");
    options.threads(threads, "threads (default: as the experiment says)");
}

tl::expected<train::OpenedModel, ExitCode> loadModel(const Console& console,
                                                     const ModelOptions& options)
{
    // A checkpoint or an export that was named itself, without a run around it.
    if (options.isServedToo && !options.modelDir && serving::isSingleModel(options.subject)) {
        Result<train::OpenedModel> single = serving::openPredictionModel(
            {.path = options.subject,
             .checkpoint = options.checkpoint.value_or(""),
             .threads = static_cast<int>(options.threads.value_or(0))});
        return single ? tl::expected<train::OpenedModel, ExitCode>(std::move(*single))
                      : tl::make_unexpected(reportFailure(console, single.error()));
    }
    Result<train::OpenModelRequest> request = requestFor(options);
    if (!request) {
        return tl::make_unexpected(reportFailure(console, request.error()));
    }
    noteIfReadOnly(console, train::projectOf(request->modelDir));
    if (options.modelDir) {
        auto input = readExperiment(console, options.subject, {});
        if (!input) {
            return tl::make_unexpected(input.error());
        }
        request->experiment = std::move(input->experiment);
        request->experimentFolder = input->folder.string();
    }
    Result<train::OpenedModel> opened = train::openModel(*request);
    if (!opened) {
        return tl::make_unexpected(reportFailure(console, opened.error()));
    }
    if (!opened->warning.empty()) {
        console.diagnostic("warning: " + opened->warning);
    }
    return std::move(*opened);
}

Result<std::string> findRunFolder(const std::string& subject,
                                  const std::optional<std::string>& project)
{
    if (fs::is_directory(subject)) {
        return subject;
    }
    if (fs::is_regular_file(subject)) {
        CANNERY_TRY(loadExperimentFile(subject)); // its error names what it is instead
        return fail(ErrorCode::InvalidArgument, kModelDirNeeded, subject);
    }
    CANNERY_TRY_ASSIGN(storage::RunStore store,
                       storage::RunStore::openForReading(project.value_or(".")));
    CANNERY_TRY_ASSIGN(const std::string run, store.find(subject));
    return store.folderOf(run);
}

} // namespace cannery::app
