// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/train/exporters/exporter.h"

namespace cannery::train {

/// Exports after every evaluation and keeps the newest few.
class LatestExporter : public Exporter
{
public:
    explicit LatestExporter(const spec::LatestExporter& spec);

    Result<std::optional<RequestedExport>> afterEvaluation(const ExportOccasion& occasion) override;
};

} // namespace cannery::train
