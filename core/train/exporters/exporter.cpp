// SPDX-License-Identifier: Apache-2.0
#include "core/train/exporters/exporter.h"

#include "storage/io/files.h"
#include "storage/tf/graphs/version_folders.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace cannery::train {
namespace {

/// Greater than all exports of the model_dir, of any exporter, and not less than the current time.
Result<std::int64_t> versionFor(const std::string& exports, const std::string& base,
                                double wallTime)
{
    // Versions are seconds since 1970, as TensorFlow's.
    std::int64_t version = static_cast<std::int64_t>(wallTime);
    if (storage::isFolder(exports)) {
        // Exports of all exporters go by time, so that the newest of them has the highest number.
        CANNERY_TRY_ASSIGN(const std::vector<std::string> names, storage::listFolder(exports));
        for (const std::string& name : names) {
            CANNERY_TRY_ASSIGN(version,
                               storage::nextVersion(storage::joinPath(exports, name), version));
        }
    }
    return storage::nextVersion(base, version);
}

} // namespace

RequestedExport evaluatedModel(const ExportOccasion& occasion)
{
    return {.checkpoint = occasion.evaluation.checkpoint,
            .globalStep = occasion.evaluation.globalStep};
}

Result<ExportResult> runExport(const Exporter& exporter, const RequestedExport& request,
                               const std::string& modelDir, const ExportModel& exportModel,
                               ExportLedger& ledger, double wallTime)
{
    const ExporterOptions& options = exporter.options();
    const std::string exports = storage::joinPath(modelDir, "export");
    const std::string base = storage::joinPath(exports, options.name);
    const auto write = [&]() -> Result<ExportResult> {
        CANNERY_TRY_ASSIGN(const std::int64_t version, versionFor(exports, base, wallTime));
        CANNERY_TRY(ledger.begin({.exporter = options.name,
                                  .path = storage::joinPath(base, storage::versionName(version)),
                                  .globalStep = request.globalStep,
                                  .exportedAt = wallTime}));
        Result<std::string> path = exportModel({.exportBase = base,
                                                .checkpoint = request.checkpoint,
                                                .receiver = options.receiver,
                                                .rawFeatures = options.rawFeatures,
                                                .version = version,
                                                .extras = options.extras});
        if (!path) {
            // The export's own error counts more than that of the list.
            static_cast<void>(ledger.abandon());
            return tl::make_unexpected(std::move(path).error());
        }
        CANNERY_TRY_ASSIGN(std::vector<std::string> deleted,
                           ledger.finish(*path, wallTime, options.keep));
        return ExportResult{.exporter = options.name,
                            .path = *std::move(path),
                            .globalStep = request.globalStep,
                            .deleted = std::move(deleted)};
    };
    Result<ExportResult> made = write();
    if (!made) {
        return tl::make_unexpected(std::move(made).error().with("exporter " + options.name));
    }
    return made;
}

} // namespace cannery::train
