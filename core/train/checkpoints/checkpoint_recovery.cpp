// SPDX-License-Identifier: Apache-2.0
#include "core/train/checkpoints/checkpoint_recovery.h"

#include "core/train/checkpoints/checkpoint_sidecar.h"
#include "storage/io/files.h"
#include "storage/runs/run_files.h"
#include "storage/tf/checkpoints/checkpoint_reader.h"
#include "storage/tf/checkpoints/checkpoint_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace cannery::train {
namespace {

constexpr ErrorKind kAllDamaged{"train.checkpoint_all_damaged",
                                "None of the checkpoints in {} can be read: {} Restore one from a "
                                "backup, or train in another model_dir."};

/// Prefixes of all checkpoints in a folder, newest first.
std::vector<std::string> prefixesIn(const std::string& modelDir)
{
    std::vector<std::string> prefixes;
    for (const std::string& name :
         storage::listFolder(modelDir).value_or(std::vector<std::string>())) {
        constexpr std::string_view kIndex = ".index";
        // The index is the last file of a save to be written: without it the checkpoint is not
        // whole.
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

/// Reads every tensor, so every checksum is verified.
Result<void> readAll(const std::string& prefix)
{
    CANNERY_TRY_ASSIGN(const storage::CheckpointReader reader,
                       storage::CheckpointReader::open(prefix));
    for (const storage::CheckpointEntry& entry : reader.entries()) {
        CANNERY_TRY(reader.read(entry.name));
    }
    return {};
}

/// Those named by the state file, newest first, then all others in the folder.
std::vector<std::string> candidates(const std::string& modelDir,
                                    const Result<std::optional<storage::CheckpointState>>& state)
{
    std::vector<std::string> all;
    if (state && *state) {
        all.push_back((*state)->latest);
        all.insert(all.end(), (*state)->all.rbegin(), (*state)->all.rend());
    }
    const std::vector<std::string> others = prefixesIn(modelDir);
    all.insert(all.end(), others.begin(), others.end());
    // The state file's checkpoints are among the folder's, too.
    std::vector<std::string> once;
    for (const std::string& prefix : all) {
        if (std::find(once.begin(), once.end(), prefix) == once.end()) {
            once.push_back(prefix);
        }
    }
    return once;
}

/// What the state file should name if the newest intact checkpoint is `latest`: that one and the
/// older ones retained, oldest first.
storage::CheckpointState repairedState(const std::string& modelDir, const std::string& latest,
                                       std::span<const std::string> older)
{
    const auto recorded = storage::RunFiles(modelDir).readCheckpoints();
    // Checkpoints kept as best or by the hour are not retained by their number, so the state file
    // does not name them.
    const auto hasOtherReason = [&](const std::string& prefix) {
        const auto isIt = [&](const storage::RunCheckpoint& checkpoint) {
            return checkpoint.globalStep == storage::checkpointStep(prefix) &&
                   checkpoint.keptBecause != "latest" && checkpoint.keptBecause != "recent";
        };
        return recorded && std::any_of(recorded->begin(), recorded->end(), isIt);
    };
    storage::CheckpointState state;
    state.latest = latest;
    for (const std::string& prefix : older) {
        if (storage::checkpointStep(prefix) < storage::checkpointStep(latest) &&
            storage::checkpointExists(prefix) && !hasOtherReason(prefix)) {
            state.all.push_back(prefix);
        }
    }
    std::sort(state.all.begin(), state.all.end(), [](const auto& left, const auto& right) {
        return storage::checkpointStep(left) < storage::checkpointStep(right);
    });
    state.all.push_back(latest);
    return state;
}

/// Those whose save was killed before the state file was written, oldest first.
std::vector<std::string> neverNamed(const std::string& modelDir,
                                    const storage::CheckpointState& state)
{
    std::vector<std::string> found;
    const auto latest = storage::checkpointStep(state.latest);
    const auto listed = storage::RunFiles(modelDir).readCheckpoints();
    // A state file by TensorFlow says nothing about what this engine's save had begun.
    if (!latest || !listed || !storage::isOwnCheckpointState(modelDir)) {
        return found;
    }
    for (const std::string& prefix : prefixesIn(modelDir)) {
        const auto step = storage::checkpointStep(prefix);
        if (*step <= *latest) {
            // Newest first, so no later one is newer than the named one.
            break;
        }
        const bool isListed =
            std::any_of(listed->begin(), listed->end(), [&](const storage::RunCheckpoint& known) {
                return known.globalStep == *step;
            });
        // Only one with its sidecar is known to be ours, and whole if every checksum holds.
        const auto sidecar = readSidecar(prefix);
        if (!isListed && sidecar && *sidecar && readAll(prefix)) {
            found.insert(found.begin(), prefix);
        }
    }
    return found;
}

/// Brings the state file up to date with them.
Result<void> takeUpNeverNamed(const std::string& modelDir, storage::FileSystem& system)
{
    const auto state = storage::readCheckpointState(modelDir);
    if (!state || !*state) {
        return {};
    }
    const std::vector<std::string> found = neverNamed(modelDir, **state);
    if (found.empty()) {
        return {};
    }
    storage::CheckpointState whole = **state;
    whole.latest = found.back();
    whole.all.insert(whole.all.end(), found.begin(), found.end());
    // Written at once: other programs find the newest checkpoint by this file, too.
    return storage::writeCheckpointState(modelDir, whole, system);
}

} // namespace

std::string noStateFile(const std::string& modelDir)
{
    return fmt::format("{} holds checkpoints, but no file 'checkpoint' that says which is the "
                       "newest.",
                       modelDir);
}

Result<RecoveredCheckpoint> recoverLatestCheckpoint(const std::string& modelDir,
                                                    storage::FileSystem& system)
{
    RecoveredCheckpoint recovered;
    CANNERY_TRY(takeUpNeverNamed(modelDir, system));
    const auto state = storage::readCheckpointState(modelDir);
    const std::vector<std::string> prefixes = candidates(modelDir, state);
    if (!state) {
        // The folder is searched instead, and the user learns why.
        recovered.warnings.push_back(state.error().message());
    } else if (!*state && !prefixes.empty()) {
        recovered.warnings.push_back(noStateFile(modelDir));
    }
    std::optional<Error> first;
    for (std::size_t i = 0; i < prefixes.size(); ++i) {
        const Result<void> read = readAll(prefixes[i]);
        if (!read) {
            recovered.warnings.push_back(read.error().message());
            // A name in the state file without files may just be deleted; the damage of one that
            // exists is what the user must know of.
            if (!first && storage::checkpointExists(prefixes[i])) {
                first = read.error();
            }
            continue;
        }
        recovered.latest = prefixes[i];
        if (!recovered.warnings.empty()) {
            // The state file is repaired only if something was wrong: a healthy folder is not
            // touched.
            recovered.warnings.push_back("Resuming from " + prefixes[i] + " instead.");
            const auto older = std::span<const std::string>(prefixes).subspan(i + 1);
            CANNERY_TRY(storage::writeCheckpointState(
                modelDir, repairedState(modelDir, prefixes[i], older), system));
        }
        return recovered;
    }
    if (first) {
        // Starting from scratch would overwrite what a backup or a repair could still save.
        return fail(ErrorCode::DataLoss, kAllDamaged, modelDir, first->message());
    }
    return recovered;
}

Result<std::optional<std::string>> newestWholeCheckpoint(const std::string& modelDir)
{
    std::optional<Error> first;
    for (const std::string& prefix : prefixesIn(modelDir)) {
        const Result<void> read = readAll(prefix);
        if (read) {
            return std::optional(prefix);
        }
        // The newest one's error is the one reported.
        first = first ? first : std::optional(read.error());
    }
    if (first) {
        return fail(ErrorCode::DataLoss, kAllDamaged, modelDir, first->message());
    }
    return std::nullopt;
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
