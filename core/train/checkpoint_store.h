// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/plan/model.h"
#include "core/train/checkpoint_retention.h"
#include "core/train/checkpoint_sidecar.h"
#include "core/train/clock.h"
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
/// last), with our sidecar beside each, and deletes old ones. Those that are best stay beside the
/// newest ones; TensorFlow's state file does not name them, so that TensorFlow leaves them alone
/// too. Every file appears whole or not at all; what was there before a failed save is intact and
/// still the latest. One thread at a time.
class CheckpointStore
{
public:
    struct Options
    {
        RetentionPolicy retention;
        const Clock* clock = &systemClock();
        storage::FileSystem* system = &storage::realFileSystem();
    };

    /// Takes over what the state file of the folder names and what the run's list says is kept for
    /// another reason, and clears away what a save that was killed has left: parts of checkpoints,
    /// and those that were about to be deleted. The folder must exist, and be the caller's to write
    /// in.
    static Result<CheckpointStore> open(const std::string& modelDir, const Options& options);

    /// What the checkpoint of a step is called.
    std::string prefix(std::int64_t step) const { return checkpointPrefix(m_modelDir, step); }

    /// Writes the tensors and the global step; `sidecar.globalStep` is the step, `savedAt` (seconds
    /// since 1970) when the state was so. Returns the prefix. An error while deleting an old
    /// checkpoint is no error of the save.
    Result<std::string> save(std::span<const plan::StateTensor> state,
                             const CheckpointSidecar& sidecar, double savedAt);

    /// From now on these steps stay, whatever their age, and others that were best before go,
    /// unless they are among the newest. By step: what it is the best of ("auc").
    void keepBest(std::map<std::int64_t, std::string> best);

    /// All that are on disk and known, by step.
    std::vector<storage::RunCheckpoint> list();

private:
    CheckpointStore(std::string modelDir, const Options& options, CheckpointRetention retention);

    Result<void> publishState(double lastPreserved);
    bool knows(std::int64_t step) const;
    void takeOver(std::span<const storage::RunCheckpoint> recorded, double lastPreserved);
    void clearAway();
    /// False when it is still there.
    bool remove(std::int64_t step);
    std::string reasonOf(std::int64_t step, std::string_view otherwise) const;
    std::uint64_t sizeOf(std::int64_t step);

    std::string m_modelDir;
    Options m_options;
    CheckpointRetention m_retention;
    std::vector<CheckpointRetention::Entry> m_older; ///< kept as the best, or about to go
    std::map<std::int64_t, std::string> m_best;
    std::map<std::int64_t, std::uint64_t> m_sizes; ///< as far as they were asked for
};

/// Which checkpoint a person means.
struct CheckpointChoice
{
    enum class Kind
    {
        Latest,
        Best, ///< of those still there, the best by the run's decision metric
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
    std::string warning; ///< a sentence: the state file did not lead to it; empty: it did
};

/// The checkpoint chosen. "train.no_checkpoint" (naming the steps there are) when there is none.
/// Latest is what the state file names, or, without one, the newest whole checkpoint. Best needs
/// evaluations: those of the run's list, or else of the event files in eval*/.
Result<FoundCheckpoint> findCheckpoint(const std::string& modelDir, const CheckpointChoice& choice);

} // namespace cannery::train
