// SPDX-License-Identifier: Apache-2.0
#include "core/train/exporters/final_exporter.h"

namespace cannery::train {

FinalExporter::FinalExporter(const spec::FinalExporter& spec) : Exporter(exporterOptions(spec)) {}

Result<std::optional<RequestedExport>>
FinalExporter::afterEvaluation(const ExportOccasion& occasion)
{
    return occasion.isFinal ? std::optional(evaluatedModel(occasion)) : std::nullopt;
}

} // namespace cannery::train
