// SPDX-License-Identifier: Apache-2.0
#include "core/train/exporters/exporter_catalog.h"

#include "core/base/catalog.h"
#include "core/base/folder_name.h"
#include "core/train/exporters/best_exporter.h"
#include "core/train/exporters/final_exporter.h"
#include "core/train/exporters/latest_exporter.h"

#include <algorithm>
#include <array>

namespace cannery::train {
namespace {

constexpr ErrorKind kNoExporter{
    "train.no_exporter", "An exporter of the eval_spec is empty; name its kind or remove it."};
constexpr ErrorKind kNames{
    "train.exporter_names",
    "Two exporters of the eval_spec are called '{}'; give each its own name."};

constexpr ErrorKind kBadName{"train.exporter_folder",
                             "An exporter's name is used as a folder name, but '{}' is not a valid "
                             "one; rename the exporter in the eval_spec."};

constexpr std::array kExporters{
    ExporterRow{spec::Exporter::kFinalExporter, "final_exporter",
                [](const spec::Exporter& exporter) -> std::unique_ptr<Exporter> {
                    return std::make_unique<FinalExporter>(exporter.final_exporter());
                }},
    ExporterRow{spec::Exporter::kLatestExporter, "latest_exporter",
                [](const spec::Exporter& exporter) -> std::unique_ptr<Exporter> {
                    return std::make_unique<LatestExporter>(exporter.latest_exporter());
                }},
    ExporterRow{spec::Exporter::kBestExporter, "best_exporter",
                [](const spec::Exporter& exporter) -> std::unique_ptr<Exporter> {
                    return std::make_unique<BestExporter>(exporter.best_exporter());
                }},
};

} // namespace

std::span<const ExporterRow> exporterCatalog()
{
    return kExporters;
}

Result<std::vector<std::unique_ptr<Exporter>>> makeExporters(const spec::EvalSpec& evalSpec)
{
    std::vector<std::unique_ptr<Exporter>> exporters;
    for (const spec::Exporter& entry : evalSpec.exporter()) {
        const ExporterRow* row = findRow(kExporters, entry.kind_case());
        if (row == nullptr) {
            return fail(ErrorCode::InvalidArgument, kNoExporter);
        }
        std::unique_ptr<Exporter> exporter = row->make(entry);
        const auto sameName = [&](const auto& other) { return other->name() == exporter->name(); };
        // Checked before training: the first export may be hours away.
        if (!isFolderName(exporter->name())) {
            return fail(ErrorCode::InvalidArgument, kBadName, exporter->name().c_str());
        }
        // Both would write into one folder, and delete each other's exports.
        if (std::any_of(exporters.begin(), exporters.end(), sameName)) {
            return fail(ErrorCode::InvalidArgument, kNames, exporter->name());
        }
        exporters.push_back(std::move(exporter));
    }
    return exporters;
}

} // namespace cannery::train
