// SPDX-License-Identifier: Apache-2.0
#include "core/survey/whole_table.h"

#include "core/data/dataset.h"
#include "core/spec/experiment.pb.h"
#include "core/survey/table_remarks.h"
#include "core/survey/table_watch.h"

#include <utility>

namespace cannery::survey {

namespace {

constexpr ErrorKind kWarning{"remark.warning", "About the table: {}."};

/// A column that nothing is said about: only whether it holds numbers matters here.
void readColumn(const data::ColumnSchema& column, spec::Experiment& experiment)
{
    spec::FeatureColumn& added = *experiment.add_feature_column();
    added.set_name(column.name);
    if (column.dtype == DType::String) {
        added.mutable_categorical_column_with_hash_bucket()->set_key(column.name);
        added.mutable_categorical_column_with_hash_bucket()->set_hash_bucket_size(1);
    } else {
        added.mutable_numeric_column()->set_key(column.name);
    }
    experiment.mutable_estimator()->mutable_linear_regressor()->add_feature_columns(column.name);
}

void addWarnings(const data::TableSchema& schema, std::vector<TableRemark>& remarks)
{
    const auto add = [&](const std::string& sentence, std::vector<std::string> columns) {
        remarks.push_back({.error = error(ErrorCode::InvalidArgument, kWarning, sentence),
                           .columns = std::move(columns),
                           .isNote = true});
    };
    for (const std::string& sentence : schema.warnings) {
        add(sentence, {});
    }
    for (const data::ColumnSchema& column : schema.columns) {
        for (const std::string& sentence : column.warnings) {
            add(sentence, {column.name});
        }
    }
}

} // namespace

Result<std::vector<TableRemark>> remarksOfTable(const spec::Data& data, const std::string& folder,
                                                const LentThreads& threads)
{
    spec::Experiment experiment;
    *experiment.mutable_data() = data;
    experiment.mutable_data()->set_bad_rows(spec::BadRows::SKIP);
    CANNERY_TRY_ASSIGN(const data::Dataset table,
                       data::Dataset::open(experiment.data(), folder, data::DataPart::Train));
    for (const data::ColumnSchema& column : table.schema().columns) {
        readColumn(column, experiment);
    }
    TableWatch watch(experiment, table, {}, threads);
    CANNERY_TRY_ASSIGN(const data::TableStatistics statistics,
                       table.statistics({}, threads,
                                        [&](data::DataPart part, const storage::TableChunk& chunk) {
                                            return watch.see(part, chunk);
                                        },
                                        {.topValues = TableWatch::kListedValues}));
    const RowFindings findings = watch.findings(statistics);
    std::vector<TableRemark> remarks = tableRemarks(experiment, table, &findings);
    addWarnings(table.schema(), remarks);
    return remarks;
}

} // namespace cannery::survey
