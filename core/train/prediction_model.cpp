// SPDX-License-Identifier: Apache-2.0
#include "core/train/prediction_model.h"

#include "core/train/checkpoint_store.h"
#include "storage/io/files.h"
#include "storage/tf/checkpoint_reader.h"
#include "storage/tf/saved_model_reader.h"

namespace cannery::train {

namespace {

constexpr ErrorKind kTwoChoices{"train.checkpoint_twice",
                                "{} is one model: leave out the choice of a checkpoint."};
constexpr ErrorKind kForeignName{
    "train.checkpoint_name",
    "{} is not called as checkpoints of a run are, such as model.ckpt-200: name the run's folder."};

} // namespace

bool isSingleModel(const std::string& path)
{
    return storage::isSavedModel(path) || storage::checkpointExists(path);
}

Result<OpenedModel> openPredictionModel(const PredictionModelRequest& request)
{
    const std::string& path = request.path;
    if (!isSingleModel(path)) {
        CANNERY_TRY_ASSIGN(
            const CheckpointChoice choice,
            CheckpointChoice::parse(request.checkpoint.empty() ? "latest" : request.checkpoint));
        return openModel({.modelDir = path, .checkpoint = choice, .threads = request.threads});
    }
    if (!request.checkpoint.empty()) {
        return fail(ErrorCode::InvalidArgument, kTwoChoices, path);
    }
    if (storage::isSavedModel(path)) {
        return openSavedModel(path, request.threads);
    }
    const std::string folder = storage::parentFolder(path);
    const Result<CheckpointChoice> choice =
        CheckpointChoice::parse(path.substr(path.rfind('-') + 1));
    if (!choice || choice->kind != CheckpointChoice::Kind::Step ||
        storage::baseName(checkpointPrefix(folder, choice->step)) != storage::baseName(path)) {
        return fail(ErrorCode::InvalidArgument, kForeignName, path);
    }
    return openModel({.modelDir = folder, .checkpoint = *choice, .threads = request.threads});
}

} // namespace cannery::train
