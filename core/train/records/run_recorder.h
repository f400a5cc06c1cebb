// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/train/loop/training_observer.h"
#include "storage/io/file_system.h"
#include "storage/runs/run_files.h"
#include "storage/runs/run_lock.h"
#include "storage/runs/run_store.h"
#include "storage/runs/tag_scan.h"

#include <memory>
#include <optional>
#include <string>

namespace cannery::train {

/// The project that a run's folder belongs to: `<project>/runs/<name>`. Empty for a model_dir
/// elsewhere.
std::string projectOf(const std::string& runFolder);

/// Keeps the records of one run during training: its text files, its log, and, if the folder is in
/// a project, the rows of the project's store. Owns the folder's lock. The files are authoritative:
/// a store that cannot be written is noted in the log and does not stop a training; a file that
/// cannot be written is kept as failure(). One thread.
class RunRecorder : public TrainingObserver
{
public:
    struct Options
    {
        std::string folder; ///< must exist
        /// Another process keeps the evaluations and exports, and may be writing them now.
        bool hasEvaluator = false;
        const Clock* clock = &systemClock();
        storage::FileSystem* system = &storage::realFileSystem();
    };

    /// Claims the folder ("run.locked" if another process trains in it) and opens its log.
    static Result<std::unique_ptr<RunRecorder>> open(const Options& options);
    ~RunRecorder() override;

    /// Writes run.json, the frozen experiment and the first state. If the run was described before,
    /// its name and creation time are kept.
    Result<void> describe(storage::RunInfo info, const std::string& frozenExperiment,
                          std::optional<std::int64_t> maxSteps);

    /// Updates the store from the files of a run that has ended: its engine may have died between
    /// its last file and its last update of the store.
    void catchUp();
    /// Updates the store from what an evaluator has added to the files since the run has ended.
    void takeOverRecords();

    void dataLoaded(const DataSummary& data) override;
    void stateChanged(storage::RunState state, const std::string& reason) override;
    void started(std::int64_t globalStep, std::optional<std::int64_t> maxSteps) override;
    void stepDone(std::int64_t globalStep, double loss) override;
    void checkpointSaved(std::int64_t globalStep, const std::string& prefix) override;
    void checkpointsChanged(const std::vector<storage::RunCheckpoint>& checkpoints) override;
    void evaluated(const EvaluationResult& result) override;
    void exportsChanged(const std::vector<storage::RunExport>& exports) override;
    void scalarLogged(std::string_view folder, std::string_view tag, std::int64_t step,
                      double value) override;
    void logged(LogLevel level, std::string_view sentence) override;
    void noted(LogLevel level, std::string_view id, std::string_view sentence) override;

    const storage::RunInfo& info() const { return m_info; }
    const storage::RunStatus& status() const { return m_status; }
    /// The first file that could not be written, if any.
    const std::optional<Error>& failure() const { return m_failure; }

private:
    RunRecorder(const Options& options, storage::RunLock lock,
                std::unique_ptr<storage::WritableFile> log);

    void clearAway();
    double secondsSoFar() const;
    void openStore();
    void refreshStore(const storage::RunInfo& info, const storage::RunStatus& status);
    void addTags(const EvaluationResult& result);
    /// Runs an update of the store; a failure closes the store with one line in the log.
    template <typename Update>
    void updateStore(const Update& update);
    void note(Result<void> written);

    std::string m_folder;
    const Clock* m_clock;
    storage::FileSystem* m_system;
    storage::RunLock m_lock;
    storage::RunFiles m_files;
    std::unique_ptr<storage::WritableFile> m_log;
    std::optional<storage::RunStore> m_store;
    storage::TagCollector m_tags;
    storage::RunInfo m_info;
    storage::RunStatus m_status;
    std::optional<Error> m_failure;
};

} // namespace cannery::train
