// SPDX-License-Identifier: Apache-2.0
#include "core/train/exporters/latest_exporter.h"

namespace cannery::train {
namespace {

ExporterOptions optionsOf(const spec::LatestExporter& spec)
{
    ExporterOptions options = exporterOptions(spec);
    options.keep = spec.exports_to_keep();
    return options;
}

} // namespace

LatestExporter::LatestExporter(const spec::LatestExporter& spec) : Exporter(optionsOf(spec)) {}

Result<std::optional<RequestedExport>>
LatestExporter::afterEvaluation(const ExportOccasion& occasion)
{
    return evaluatedModel(occasion);
}

} // namespace cannery::train
