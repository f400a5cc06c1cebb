// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/spec/training.pb.h"
#include "core/train/exporters/exporter.h"
#include "core/train/loop/training_observer.h"
#include "core/train/records/summary_recorder.h"
#include "storage/io/file_system.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cannery::train {

/// What follows every evaluation, in the process that trains or in an evaluator: its event file,
/// the observers, and the exporters in order. A failing exporter is a warning, and an error only if
/// it has not succeeded by the end; one whose checkpoint was deleted meanwhile is a warning. One
/// thread.
class EvaluationRecorder
{
public:
    struct Options
    {
        std::string modelDir;
        std::optional<std::int64_t> maxSteps;
        std::vector<std::unique_ptr<Exporter>> exporters;
        ExportModel exportModel; ///< may be empty: nothing is exported
        /// Called with every evaluation before the exporters are; may be empty.
        std::function<void(const EvaluationResult&)> evaluated;
        const Clock* clock = &systemClock();
        TrainingObserver* observer = nullptr; ///< not null
        storage::FileSystem* system = &storage::realFileSystem();
    };

    /// "train.evaluation_name" if no folder can have the name of the evaluations.
    static Result<void> checkName(const spec::EvalSpec& evalSpec);

    explicit EvaluationRecorder(Options options);

    /// Reads the list of exports, and deletes what a process that was killed after an export had no
    /// time to delete. Before the first record().
    void openExports();
    Result<void> record(EvaluationResult result);

    const std::optional<EvaluationResult>& last() const { return m_last; }
    /// This process's exports that still exist, in order.
    const std::vector<ExportResult>& exports() const { return m_exports; }
    /// Problems with the list of exports, as sentences.
    const std::vector<std::string>& warnings() const { return m_warnings; }
    /// Why an exporter's last requested export failed; nothing if all succeeded.
    std::optional<Error> exportFailure() const;

private:
    void log(LogLevel level, const std::string& sentence);
    void reportDeleted(const std::vector<std::string>& paths);
    Result<void> runExporters(const EvaluationResult& result);
    Result<void> make(const Exporter& exporter, const RequestedExport& request);

    Options m_options;
    std::optional<SummaryRecorder> m_summaries;
    std::optional<EvaluationResult> m_last;
    std::vector<ExportResult> m_exports;
    std::vector<std::string> m_warnings;
    std::optional<ExportLedger> m_ledger;
    std::vector<std::optional<Error>> m_exportFailures; ///< one per exporter
};

} // namespace cannery::train
