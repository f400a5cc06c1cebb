// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/train/exporters/exporter.h"

namespace cannery::train {

/// Exports once, when training has reached its last step.
class FinalExporter : public Exporter
{
public:
    explicit FinalExporter(const spec::FinalExporter& spec);

    Result<std::optional<RequestedExport>> afterEvaluation(const ExportOccasion& occasion) override;
};

} // namespace cannery::train
