// SPDX-License-Identifier: Apache-2.0
#include "core/train/checkpoints/checkpoint_restore.h"

#include "storage/tf/checkpoints/checkpoint_reader.h"

#include <fmt/format.h>

#include <vector>

namespace cannery::train {
namespace {

constexpr ErrorKind kShape{"train.checkpoint_shape",
                           "{} does not fit the experiment: {}. Use the experiment it was trained "
                           "with, another model_dir, "
                           "or a warm start of what fits."};
constexpr ErrorKind kMissing{
    "train.checkpoint_missing",
    "{} was trained by another model: it has no {}. Use the experiment it was trained with, or "
    "another model_dir."};

constexpr std::size_t kNamedAtMost = 5;

std::string joined(const std::vector<std::string>& parts)
{
    std::vector<std::string> first = parts;
    // A long list hides its first entries, and all have the same cause.
    if (first.size() > kNamedAtMost) {
        first.resize(kNamedAtMost);
        first.push_back(fmt::format("{} more", parts.size() - kNamedAtMost));
    }
    return fmt::format("{}", fmt::join(first, ", "));
}

/// A tensor that restores itself can have grown from empty, or is empty in the checkpoint; a text
/// is always one.
bool fits(const storage::CheckpointEntry& entry, const plan::StateTensor& tensor)
{
    if (!tensor.restore) {
        return entry.shape == tensor.shape;
    }
    const bool isEmpty = entry.shape == Shape{0} || tensor.shape == Shape{0};
    return entry.shape.rank() == tensor.shape.rank() || (isEmpty && tensor.dtype != DType::String);
}

} // namespace

Result<std::int64_t> restoreCheckpoint(const std::string& prefix,
                                       std::span<const plan::StateTensor> state, bool withOptimizer)
{
    CANNERY_TRY_ASSIGN(const storage::CheckpointReader reader,
                       storage::CheckpointReader::open(prefix));
    std::vector<std::string> missing;
    std::vector<std::string> different;
    for (const plan::StateTensor& tensor : state) {
        // Prediction and evaluation need no optimizer, and its state may be gone from an export.
        if (tensor.optimizerState && !withOptimizer) {
            continue;
        }
        const storage::CheckpointEntry* entry = reader.find(tensor.name);
        // Parts that a model has only at times: a checkpoint from before is still whole.
        if (entry == nullptr && tensor.isOptional) {
            continue;
        }
        if (entry == nullptr) {
            missing.push_back(tensor.name);
        } else if (!fits(*entry, tensor)) {
            different.push_back(fmt::format("{} is {} there and {} here", tensor.name,
                                            entry->shape.toString(), tensor.shape.toString()));
        } else if (entry->dtype != tensor.dtype) {
            different.push_back(fmt::format("{} is {} there and {} here", tensor.name,
                                            name(entry->dtype), name(tensor.dtype)));
        }
    }
    // All problems are collected before anything is written: a failed restore leaves the model as
    // it was.
    if (!different.empty()) {
        return fail(ErrorCode::InvalidArgument, kShape, prefix, joined(different));
    }
    if (!missing.empty()) {
        return fail(ErrorCode::NotFound, kMissing, prefix, joined(missing));
    }
    CANNERY_TRY_ASSIGN(const std::int64_t step, reader.readInt64("global_step"));
    for (const plan::StateTensor& tensor : state) {
        const bool isThere = !tensor.isOptional || reader.find(tensor.name) != nullptr;
        if (isThere && (!tensor.optimizerState || withOptimizer)) {
            CANNERY_TRY(restoreTensor(reader, tensor));
        }
    }
    return step;
}

Result<void> restoreTensor(const storage::CheckpointReader& reader, const plan::StateTensor& tensor)
{
    if (!tensor.restore) {
        return tensor.write([&](std::span<std::byte> bytes) {
            return reader.readInto(tensor.name, tensor.dtype, tensor.shape, bytes);
        });
    }
    CANNERY_TRY_ASSIGN(const storage::HostTensor content, reader.read(tensor.name));
    // A text is one string in a checkpoint, and bytes in the model.
    return tensor.restore(content.shape, content.dtype == DType::String
                                             ? std::as_bytes(std::span(content.strings.front()))
                                             : std::span<const std::byte>(content.bytes));
}

Result<std::int64_t> readGlobalStep(const std::string& prefix)
{
    CANNERY_TRY_ASSIGN(const storage::CheckpointReader reader,
                       storage::CheckpointReader::open(prefix));
    return reader.readInt64("global_step");
}

} // namespace cannery::train
