// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/spec/training.pb.h"
#include "core/train/exporters/exporter.h"

#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace cannery::train {

struct ExporterRow
{
    spec::Exporter::KindCase key;
    std::string_view name; ///< of the field of spec::Exporter
    std::unique_ptr<Exporter> (*make)(const spec::Exporter&);
};

/// Every exporter, in the order of the schema.
std::span<const ExporterRow> exporterCatalog();

/// The exporters of an eval_spec, in order. "train.no_exporter" for an empty message,
/// "train.exporter_names" for duplicate names, "train.exporter_folder" for an invalid folder name.
Result<std::vector<std::unique_ptr<Exporter>>> makeExporters(const spec::EvalSpec& evalSpec);

} // namespace cannery::train
