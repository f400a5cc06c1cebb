// SPDX-License-Identifier: Apache-2.0
#include "core/serving/prediction_model.h"

#include "core/train/checkpoints/checkpoint_store.h"
#include "storage/io/files.h"
#include "storage/tf/checkpoints/checkpoint_reader.h"
#include "storage/tf/graphs/saved_model_reader.h"

namespace cannery::serving {

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

Result<train::OpenedModel> openPredictionModel(const PredictionModelRequest& request)
{
    const std::string& path = request.path;
    if (!isSingleModel(path)) {
        CANNERY_TRY_ASSIGN(const train::CheckpointChoice choice,
                           train::CheckpointChoice::parse(
                               request.checkpoint.empty() ? "latest" : request.checkpoint));
        return train::openModel(
            {.modelDir = path, .checkpoint = choice, .threads = request.threads});
    }
    if (!request.checkpoint.empty()) {
        return fail(ErrorCode::InvalidArgument, kTwoChoices, path);
    }
    if (storage::isSavedModel(path)) {
        return train::openSavedModel(path, request.threads);
    }
    const std::string folder = storage::parentFolder(path);
    const Result<train::CheckpointChoice> choice =
        train::CheckpointChoice::parse(path.substr(path.rfind('-') + 1));
    if (!choice || choice->kind != train::CheckpointChoice::Kind::Step ||
        storage::baseName(train::checkpointPrefix(folder, choice->step)) !=
            storage::baseName(path)) {
        return fail(ErrorCode::InvalidArgument, kForeignName, path);
    }
    return train::openModel(
        {.modelDir = folder, .checkpoint = *choice, .threads = request.threads});
}

} // namespace cannery::serving
