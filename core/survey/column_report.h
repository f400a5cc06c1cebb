// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/dataset.h"
#include "core/data/statistics.h"
#include "core/data/typing/schema.h"
#include "core/features/feature_encoder.h"
#include "core/reports/preview.pb.h"
#include "core/reports/report_list.h"
#include "core/survey/table_remarks.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cannery::survey {

/// What `preview` reports about an experiment's table besides the encoded rows.
struct TableReport
{
    data::TableSchema schema;
    std::vector<data::SourceSetting> settings;           ///< of the training source
    data::TableStatistics statistics;                    ///< of the training rows
    std::optional<data::TableStatistics> evalStatistics; ///< unless they cannot be read
    std::vector<ColumnTimes> times;
    std::vector<TableRemark> remarks;
    std::vector<std::string> uses; ///< of each column: "label", "feature", "weight", …
    std::vector<std::string> trainFiles;
    std::vector<std::string> evalFiles;
    std::int64_t trainRows = 0;                  ///< that are used
    std::int64_t evalRows = -1;                  ///< used ones; -1 if there is no evaluation data
    std::string label;                           ///< the label's columns, joined by ", "
    std::vector<std::vector<std::string>> texts; ///< the first rows, as in the file
};

/// One pass over the training rows, and one over evaluation rows from another table. `previewRows`:
/// number of raw rows.
Result<TableReport> reportTable(const spec::Experiment& resolved, const std::string& folder,
                                const features::FeatureEncoder& encoder,
                                const data::Dataset& trainData, std::int64_t previewRows,
                                const LentThreads& threads);

struct RowCount
{
    std::int64_t rows = 0;
    std::int64_t otherRows = 0; ///< in the other part of a split table
};

/// The number of rows of a data set; takes one pass.
Result<RowCount> countRows(const data::Dataset& dataset, const LentThreads& threads);
/// The same of the rows that are used, where the experiment leaves out those that cannot be.
/// `dataset`: the training part if it isSplit().
Result<RowCount> countRows(const data::Dataset& dataset, const features::FeatureEncoder& encoder,
                           const LentThreads& threads);
/// The number of evaluation rows that are used, if counting the training rows found `otherRows`.
Result<std::int64_t> countEvalRows(const data::Dataset& evalData,
                                   const features::FeatureEncoder& encoder, std::int64_t otherRows,
                                   const LentThreads& threads);

/// The columns of a table as answers have them; unknown values are left out. `statistics` may be
/// null; `uses` may be empty, and so may each of them.
reports::ReportList<reports::TableColumn> columnsReport(const data::TableSchema& schema,
                                                        const data::TableStatistics* statistics,
                                                        const std::vector<std::string>& uses);

/// Rows of cells as answers have them: a missing cell has no text.
reports::ReportList<reports::CellRow>
textsReport(const data::TableSchema& schema, const std::vector<std::vector<std::string>>& texts);

/// The table in the answer of `preview`, without what the model receives of it.
reports::Preview previewReport(const TableReport& report);

} // namespace cannery::survey
