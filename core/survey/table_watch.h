// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/advice/leak_finder.h"
#include "core/base/lent_threads.h"
#include "core/data/dataset.h"
#include "core/data/quantile_sketch.h"
#include "core/data/rows/duplicate_rows.h"
#include "core/data/statistics.h"
#include "core/spec/experiment.pb.h"
#include "core/survey/table_remarks.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cannery::survey {

/// Watches the pass that collects a table's statistics for what only the rows show: leaks, rows
/// that are in both parts, times, and statistics of the evaluation rows. Memory is bounded. One
/// thread.
class TableWatch
{
public:
    /// At most this many values of a column are listed.
    static constexpr std::size_t kListedValues = 100;

    /// `compared`: rows are equal if these columns are. `threads` must outlive it.
    TableWatch(const spec::Experiment& experiment, const data::Dataset& trainData,
               std::vector<std::string> compared, const LentThreads& threads);

    /// Rows of either part, each part always with the same columns.
    Result<void> see(data::DataPart part, const storage::TableChunk& chunk);

    /// `statistics`: of the training rows.
    RowFindings findings(const data::TableStatistics& statistics) const;
    /// Nothing if there were no evaluation rows.
    std::optional<data::TableStatistics> evalStatistics() const;

private:
    /// A column that may hold times.
    struct Times
    {
        std::string column;
        spec::DateNotation::Name notation = spec::DateNotation::iso;
        bool areTimes = true;
        bool areDays = true; ///< without a time of day
        data::QuantileSketch seconds;

        void add(const storage::TableColumn& cells);
        std::optional<ColumnTimes> quantiles() const;
    };

    const std::vector<std::size_t>& comparedIn(data::DataPart part,
                                               const storage::TableChunk& chunk);

    const LentThreads& m_threads;
    advice::LeakFinder m_leaks;
    data::DuplicateRows m_twins;
    std::vector<std::string> m_compared;
    std::map<data::DataPart, std::vector<std::size_t>> m_places; ///< of these in the chunks
    std::vector<Times> m_times;
    data::StatisticsCollector m_evalRows;
    bool m_hasEvalRows = false;
};

} // namespace cannery::survey
