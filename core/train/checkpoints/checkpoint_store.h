// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/plan/model.h"
#include "core/train/checkpoints/checkpoint_retention.h"
#include "core/train/checkpoints/checkpoint_sidecar.h"
#include "storage/io/file_system.h"
#include "storage/runs/run_record.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace cannery::train {

/// "dir/model.ckpt-200".
std::string checkpointPrefix(const std::string& modelDir, std::int64_t step);

/// The checkpoints of one model_dir: saves them as TensorFlow does (`model.ckpt-N`, the state file
/// last), with our sidecar next to each, and deletes old ones. The best ones are kept in addition
/// to the newest; TensorFlow's state file does not name them, so TensorFlow leaves them alone too.
/// Every file appears complete or not at all; after a failed save everything that existed before is
/// intact and still the latest. One thread at a time.
class CheckpointStore
{
public:
    struct Options
    {
        RetentionPolicy retention;
        const Clock* clock = &systemClock();
        storage::FileSystem* system = &storage::realFileSystem();
    };

    /// Adopts what the folder's state file names and what the run's list says is kept for another
    /// reason, and removes the leftovers of a killed save: partial checkpoints, and those that were
    /// about to be deleted. The folder must exist and belong to the caller.
    static Result<CheckpointStore> open(const std::string& modelDir, const Options& options);

    /// The name of a step's checkpoint.
    std::string prefix(std::int64_t step) const { return checkpointPrefix(m_modelDir, step); }

    /// Writes the tensors and the global step; `sidecar.globalStep` is the step, `savedAt` (seconds
    /// since 1970) the time of that state. Returns the prefix. Failing to delete an old checkpoint
    /// is not an error of the save.
    Result<std::string> save(std::span<const plan::StateTensor> state,
                             const CheckpointSidecar& sidecar, double savedAt);

    /// From now on these steps are kept regardless of age; the previous best are deleted unless
    /// they are among the newest. By step: what it is the best of ("auc").
    void keepBest(std::map<std::int64_t, std::string> best);

    /// All known checkpoints on disk, by step.
    std::vector<storage::RunCheckpoint> list();

private:
    CheckpointStore(std::string modelDir, const Options& options, CheckpointRetention retention);

    Result<void> publishState(double lastPreserved);
    bool lists(std::int64_t step) const;
    void takeOver(std::span<const storage::RunCheckpoint> recorded, double lastPreserved);
    void clearAway();
    /// False if it still exists.
    bool remove(std::int64_t step);
    std::string reasonOf(std::int64_t step, std::string_view otherwise) const;
    std::uint64_t sizeOf(std::int64_t step);

    std::string m_modelDir;
    Options m_options;
    CheckpointRetention m_retention;
    std::vector<CheckpointRetention::Entry> m_older; ///< kept as the best, or to be deleted
    std::map<std::int64_t, std::string> m_best;
    std::map<std::int64_t, std::uint64_t> m_sizes; ///< those queried so far
};

/// Which checkpoint the user means.
struct CheckpointChoice
{
    enum class Kind
    {
        Latest,
        Best, ///< the best existing one by the run's decision metric
        Step,
    };
    Kind kind = Kind::Latest;
    std::int64_t step = 0;

    /// "latest", "best" or a step; "train.bad_checkpoint_choice" otherwise.
    static Result<CheckpointChoice> parse(std::string_view text);
};

struct FoundCheckpoint
{
    std::string prefix;
    std::string warning; ///< a sentence if it was not found through the state file; otherwise empty
};

/// The chosen checkpoint. "train.no_checkpoint" (naming the existing steps) if there is none.
/// Latest is what the state file names or, without one, the newest intact checkpoint. Best needs
/// evaluations: those of the run's list, or else of the event files in eval*/.
Result<FoundCheckpoint> findCheckpoint(const std::string& modelDir, const CheckpointChoice& choice);

} // namespace cannery::train
