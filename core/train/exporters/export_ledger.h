// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/io/file_system.h"
#include "storage/runs/run_files.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::train {

/// The list of what the exporters of a run have exported, in the run's folder. Only what stands in
/// it is ever deleted: nothing that others have put beside it. Every change is written before the
/// folder it speaks of changes, so that after a kill mend() finds what was left half done. For the
/// owner of the folder; one thread.
class ExportLedger
{
public:
    /// Reads the list of a model_dir.
    static Result<ExportLedger> open(const std::string& modelDir, storage::FileSystem& system);
    /// Begins a list anew, where the one that is there cannot be read.
    static ExportLedger empty(const std::string& modelDir, storage::FileSystem& system);

    /// Finishes what a killed program has begun: what is there is listed, what was being
    /// deleted is gone. `deleted` is told the path of each of those while the list still says so,
    /// so that no kill comes between the two. True when the list changed.
    Result<bool> mend(const std::function<void(const std::string&)>& deleted);

    /// Those of an exporter that are there, oldest first.
    std::vector<storage::RunExport> of(std::string_view exporter) const;
    /// All that are there.
    std::vector<storage::RunExport> all() const;

    /// `path`: of the SavedModel that is about to be written.
    Result<void> begin(const storage::RunExport& entry);
    /// It is there, at `path`. All but the newest `keep` exports of that exporter go (0: none), in
    /// the order in which they were made. Returns the paths of those.
    Result<std::vector<std::string>> finish(const std::string& path, double exportedAt,
                                            std::int64_t keep);
    /// It could not be written.
    Result<void> abandon();
    /// The same deletion without an export: a program that was killed before finish() has left one
    /// too many.
    Result<std::vector<std::string>> trim(std::string_view exporter, std::int64_t keep);

    /// Whether the base folder of an exporter holds versions that do not stand in the list.
    bool hasForeign(const std::string& exporter) const;

private:
    ExportLedger(std::string modelDir, storage::FileSystem& system);

    std::string relative(const std::string& path) const;
    std::string absolute(const storage::RunExport& entry) const;
    bool isOurs(const storage::RunExport& entry) const;
    bool markOld(std::string_view exporter, std::int64_t keep);
    Result<std::vector<std::string>> deleteMarked();
    Result<void> removeFolder(const storage::RunExport& entry);
    Result<void> write();

    std::string m_modelDir;
    storage::FileSystem* m_system;
    storage::RunFiles m_files;
    std::vector<storage::RunExport> m_entries; ///< in the order they were made
};

/// For the log of the run, whenever one has been deleted.
std::string deletedExportSentence(const std::string& path);

} // namespace cannery::train
