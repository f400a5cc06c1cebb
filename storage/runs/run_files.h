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
/// line that does not begin like this continues the previous one.
inline constexpr std::string_view kRunLogFile = "train.log";

/// If a path leads to or into a run, stops following that run's links from now on; otherwise does
/// nothing. For code that receives a path of unknown kind.
void confineRunAt(const std::string& path);
/// The same, for code that opens the path by other means: an error if it is a link within the run.
Result<void> refuseLinkOfRun(const std::string& path);

/// The authoritative record of one run, in text files of its folder; the store is only an index of
/// them. Single files are replaced atomically, the .jsonl ones grow by a synced line. NaN and
/// infinite numbers are written as "NaN", "Infinity", "-Infinity". Only the owner of the RunLock
/// writes.
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
    /// Replaces the whole list of exports.
    Result<void> writeExports(std::span<const RunExport> exports);

    /// "run.damaged" for a file that cannot be parsed; NotFound if it is missing.
    Result<RunInfo> readInfo() const;
    Result<RunStatus> readStatus() const;
    /// A missing file is an empty list; a torn last line is ignored.
    Result<std::vector<RunEvaluation>> readEvaluations() const;
    /// Adds tables and slices to evaluations that a store has given, which has no place for them.
    Result<void> addDetails(std::vector<RunEvaluation>& evaluations) const;
    Result<std::vector<RunCheckpoint>> readCheckpoints() const;
    /// Completed exports. If a path occurs several times, the last entry counts. Paths that lead
    /// out of the run's folder are left out (isExportPath()).
    Result<std::vector<RunExport>> readExports() const;
    /// Including those being written or deleted; for the owner of the folder.
    Result<std::vector<RunExport>> readAllExports() const;

    /// True if the folder contains one of our runs.
    bool isRun() const;

private:
    Result<void> appendLine(std::string_view name, const std::string& line);

    std::string m_folder;
    FileSystem* m_system;
};

/// Whether the run in this folder ended as Failed, by an error or a bug: starting it again would
/// fail again. An empty folder is none.
bool hasFailed(const std::string& folder);

} // namespace cannery::storage
