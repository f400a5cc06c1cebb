// SPDX-License-Identifier: Apache-2.0
#include "core/survey/schema_remarks.h"

#include "core/data/sources/data_source_catalog.h"
#include "core/data/typing/validation.h"
#include "storage/io/files.h"
#include "storage/tf/metadata_schema.h"

#include <fmt/core.h>

#include <map>
#include <string_view>

namespace cannery::survey {

namespace {

constexpr ErrorKind kAnomaly{
    "remark.anomaly", "Not as {} says: {}. Correct the rows, or the schema if it is out of date."};

/// "schema.pbtxt, line 12,".
std::string placeOf(const std::string& file, const storage::MetadataSchema& schema,
                    const std::string& feature)
{
    const storage::MetadataFeature* found = schema.find(feature);
    const std::string name = storage::baseName(file);
    // A feature that the schema lacks has no line in it.
    return found == nullptr ? name : fmt::format("{}, line {},", name, found->line);
}

} // namespace

Result<std::vector<TableRemark>> schemaRemarks(const DescribedRows& rows)
{
    CANNERY_TRY_ASSIGN(const std::string file, data::schemaFile(rows.source, rows.folder));
    if (file.empty()) {
        return std::vector<TableRemark>();
    }
    CANNERY_TRY_ASSIGN(const storage::MetadataSchema schema, storage::readMetadataSchema(file));
    std::vector<std::string> features; // in the order of their first anomalies
    std::map<std::string, std::string> sentences;
    const auto add = [&](const std::vector<data::Anomaly>& anomalies, std::string_view part) {
        for (const data::Anomaly& anomaly : anomalies) {
            std::string& text = sentences[anomaly.feature];
            if (text.empty()) {
                features.push_back(anomaly.feature);
            }
            // A feature's anomalies are one remark.
            text += (text.empty() ? "" : "; ") + std::string(part) + anomaly.sentence;
        }
    };
    add(data::findAnomalies(rows.table, rows.train, schema), "");
    if (rows.eval) {
        add(data::findAnomalies(rows.table, *rows.eval, schema), "in the evaluation rows, ");
        // Skew is between the two parts.
        add(data::findSkew(data::distancesOf(rows.table, rows.train, *rows.eval), schema), "");
    }
    std::vector<TableRemark> remarks;
    for (const std::string& feature : features) {
        remarks.push_back({.error = error(ErrorCode::InvalidArgument, kAnomaly,
                                          placeOf(file, schema, feature), sentences[feature]),
                           .columns = {feature}});
    }
    return remarks;
}

} // namespace cannery::survey
