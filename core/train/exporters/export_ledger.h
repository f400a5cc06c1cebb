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

/// The list, in the run's folder, of what the exporters of a run have exported. Only what it lists
/// is ever deleted, never anything that others put there. Every change is written before the folder
/// it refers to changes, so after a kill mend() finds what was left half done. For the owner of the
/// folder; one thread.
class ExportLedger
{
public:
    /// Reads the list of a model_dir.
    static Result<ExportLedger> open(const std::string& modelDir, storage::FileSystem& system);
    /// Starts a new list if the existing one cannot be read.
    static ExportLedger empty(const std::string& modelDir, storage::FileSystem& system);

    /// Finishes what a killed program has started: existing exports are listed, and those being
    /// deleted are removed. `deleted` receives the path of each of those while the list still
    /// contains it, so a kill cannot lose one. True if the list changed.
    Result<bool> mend(const std::function<void(const std::string&)>& deleted);

    /// The existing exports of an exporter, oldest first.
    std::vector<storage::RunExport> of(std::string_view exporter) const;
    /// All existing exports.
    std::vector<storage::RunExport> all() const;

    /// `path`: of the SavedModel about to be written.
    Result<void> begin(const storage::RunExport& entry);
    /// The export is complete, at `path`. All but the newest `keep` exports of that exporter are
    /// deleted (0: keep all), in the order in which they were made. Returns their paths.
    Result<std::vector<std::string>> finish(const std::string& path, double exportedAt,
                                            std::int64_t keep);
    /// The export could not be written.
    Result<void> abandon();
    /// The same deletion without an export: a program killed before finish() has left one too many.
    Result<std::vector<std::string>> trim(std::string_view exporter, std::int64_t keep);

    /// Whether the base folder of an exporter holds versions that are not in the list.
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
    std::vector<storage::RunExport> m_entries; ///< in the order in which they were made
};

/// For the run's log, whenever one has been deleted.
std::string deletedExportSentence(const std::string& path);

} // namespace cannery::train
