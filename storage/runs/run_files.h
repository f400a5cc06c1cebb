// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/io/file_system.h"
#include "storage/runs/run_record.h"

#include <span>
#include <string>
#include <vector>

namespace cannery::storage {

/// Names inside a run's folder, which is also TensorFlow's model_dir. TensorFlow ignores all of
/// ours.
inline constexpr std::string_view kRunInfoFile = "run.json";
inline constexpr std::string_view kRunStateFile = "state.json";
inline constexpr std::string_view kRunEvaluationsFile = "evaluations.jsonl";
inline constexpr std::string_view kRunCheckpointsFile = "checkpoints.json";
inline constexpr std::string_view kRunExportsFile = "exports.jsonl";
inline constexpr std::string_view kFrozenExperimentFile = "experiment.cannery";
/// Lines "2026-11-21T14:31:00.123Z warning health.rising_eval_loss A sentence."; id "-": none. A
/// line that does not begin so goes on with the one before.
inline constexpr std::string_view kRunLogFile = "train.log";

/// From now on no link of the run is followed that a path leads to or into; nothing when it leads
/// to no run. For whoever is given a path and does not know what it names.
void confineRunAt(const std::string& path);
/// The same, for whoever opens the path in another way: an error when it is a link of the run.
Result<void> refuseLinkOfRun(const std::string& path);

/// The truth about one run, in text files of its folder; the store is only an index of them.
/// Single files are replaced atomically, the .jsonl ones grow by a synced line. NaN and infinite
/// numbers stand as "NaN", "Infinity", "-Infinity". Only the owner of the RunLock writes.
class RunFiles
{
public:
    explicit RunFiles(std::string folder, FileSystem& system = realFileSystem());

    const std::string& folder() const { return m_folder; }

    Result<void> writeInfo(const RunInfo& info);
    Result<void> writeStatus(const RunStatus& status);
    Result<void> addEvaluation(const RunEvaluation& evaluation);
    Result<void> writeCheckpoints(std::span<const RunCheckpoint> checkpoints);
    Result<void> addExport(const RunExport& entry);
    /// Replaces all that was said of exports.
    Result<void> writeExports(std::span<const RunExport> exports);

    /// "run.damaged" for a file that cannot be understood; NotFound when it is missing.
    Result<RunInfo> readInfo() const;
    Result<RunStatus> readStatus() const;
    /// A missing file is an empty list; a torn last line is left out.
    Result<std::vector<RunEvaluation>> readEvaluations() const;
    Result<std::vector<RunCheckpoint>> readCheckpoints() const;
    /// Those that are done. Of one path, the last word counts. Without
    /// those whose path would lead out of the run's folder (isExportPath()).
    Result<std::vector<RunExport>> readExports() const;
    /// Those too that are being written or deleted; for the owner of the folder.
    Result<std::vector<RunExport>> readAllExports() const;

    /// True when the folder holds a run of ours.
    bool isRun() const;

private:
    Result<void> appendLine(std::string_view name, const std::string& line);

    std::string m_folder;
    FileSystem* m_system;
};

} // namespace cannery::storage
