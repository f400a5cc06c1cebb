// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/statistics.h"
#include "core/data/typing/schema.h"
#include "core/data/typing/validation.h"
#include "storage/tf/metadata_schema.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cannery::app {

/// A table and its statistics.
struct DescribedTable
{
    data::TableSchema schema;
    data::TableStatistics statistics;
    std::uint64_t badRows = 0; ///< left out
};

/// What `cannery validate` found.
struct ValidationReport
{
    DescribedTable train;
    std::optional<DescribedTable> eval;
    std::string schemaFile; ///< empty if there is nothing to compare with
    storage::MetadataSchema schema;
    std::vector<data::Distance> distances; ///< of train and eval
    std::vector<data::Anomaly> anomalies;  ///< of the training rows, and of the distances
    std::vector<data::Anomaly> evalAnomalies;

    bool isSound() const { return anomalies.empty() && evalAnomalies.empty(); }
};

/// For people: the columns, the distances with what the schema allows, the anomalies, and the
/// verdict in one sentence.
std::vector<std::string> validationLines(const ValidationReport& report);

/// One JSON object: `rows`, `eval_rows` (null without any), `left_out`, `schema` (its file, or
/// null), `columns`, `distances` and `anomalies`, each with `feature`, `kind`, `part` ("train" or
/// "eval") and `sentence`.
std::string validationJson(const ValidationReport& report);

} // namespace cannery::app
