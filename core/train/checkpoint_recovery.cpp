#include "core/train/checkpoint_recovery.h"

#include "storage/io/files.h"
#include "storage/tf/checkpoint_reader.h"
#include "storage/tf/checkpoint_state.h"

#include <fmt/format.h>

#include <algorithm>

namespace cannery::train {
namespace {

constexpr ErrorKind kAllDamaged{
    "train.checkpoint_all_damaged",
    "None of the checkpoints in {} can be read: {} Restore one from a copy, or train in another "
    "model_dir."};

/// Prefixes of all checkpoints in a folder, the newest first.
std::vector<std::string> prefixesIn(const std::string& modelDir)
{
    std::vector<std::string> prefixes;
    for (const std::string& name :
         storage::listFolder(modelDir).value_or(std::vector<std::string>())) {
        constexpr std::string_view kIndex = ".index";
        if (name.starts_with("model.ckpt-") && name.ends_with(kIndex)) {
            const std::string stem = name.substr(0, name.size() - kIndex.size());
            if (storage::checkpointStep(stem)) {
                prefixes.push_back(storage::joinPath(modelDir, stem));
            }
        }
    }
    std::sort(prefixes.begin(), prefixes.end(), [](const auto& left, const auto& right) {
        return storage::checkpointStep(left) > storage::checkpointStep(right);
    });
    return prefixes;
}

/// Reads every tensor, so that every checksum is looked at.
Result<void> readAll(const std::string& prefix)
{
    CANNERY_TRY_ASSIGN(const storage::CheckpointReader reader,
                       storage::CheckpointReader::open(prefix));
    for (const storage::CheckpointEntry& entry : reader.entries()) {
        CANNERY_TRY(reader.read(entry.name));
    }
    return {};
}

/// Those that the state file names, the newest first; all in the folder when it cannot be read.
std::vector<std::string> candidates(const std::string& modelDir,
                                    const Result<std::optional<storage::CheckpointState>>& state)
{
    if (!state) {
        return prefixesIn(modelDir);
    }
    std::vector<std::string> named((*state)->all.rbegin(), (*state)->all.rend());
    std::erase(named, (*state)->latest);
    named.insert(named.begin(), (*state)->latest);
    return named;
}

} // namespace

Result<RecoveredCheckpoint> recoverLatestCheckpoint(const std::string& modelDir,
                                                    storage::FileSystem& system)
{
    RecoveredCheckpoint recovered;
    const auto state = storage::readCheckpointState(modelDir);
    if (state && !*state) {
        return recovered; // as TensorFlow: no state file, no checkpoint
    }
    if (!state) {
        recovered.warnings.push_back(state.error().message());
    }
    const std::vector<std::string> prefixes = candidates(modelDir, state);
    std::optional<Error> first;
    for (std::size_t i = 0; i < prefixes.size(); ++i) {
        const Result<void> read = readAll(prefixes[i]);
        if (!read) {
            recovered.warnings.push_back(read.error().message());
            if (!first && storage::checkpointExists(prefixes[i])) {
                first = read.error();
            }
            continue;
        }
        recovered.latest = prefixes[i];
        if (!recovered.warnings.empty()) {
            recovered.warnings.push_back("Going on from " + prefixes[i] + " instead.");
            storage::CheckpointState repaired;
            repaired.latest = prefixes[i];
            repaired.all.assign(prefixes.rbegin(), prefixes.rend() - static_cast<long>(i));
            CANNERY_TRY(storage::writeCheckpointState(modelDir, repaired, system));
        }
        return recovered;
    }
    if (first) {
        return fail(ErrorCode::DataLoss, kAllDamaged, modelDir, first->message());
    }
    return recovered;
}

std::string olderCheckpoints(const std::string& prefix)
{
    std::vector<std::int64_t> steps;
    const auto damaged = storage::checkpointStep(prefix);
    for (const std::string& other : prefixesIn(storage::parentFolder(prefix))) {
        const auto step = storage::checkpointStep(other);
        if (step && damaged && *step < *damaged) {
            steps.insert(steps.begin(), *step);
        }
    }
    return steps.empty() ? ""
                         : fmt::format("older checkpoints are there: step{} {}",
                                       steps.size() == 1 ? "" : "s", fmt::join(steps, ", "));
}

} // namespace cannery::train
