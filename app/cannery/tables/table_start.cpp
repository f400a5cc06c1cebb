// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/tables/table_start.h"

#include "core/advice/leak_finder.h"
#include "core/advice/table_survey.h"
#include "core/survey/table_statistics.h"

#include <fmt/core.h>

#include <set>

namespace cannery::app {

namespace {

Result<void> addLeakWarnings(advice::StartingExperiment& starting, const data::DataSource& source,
                             const std::string& label)
{
    std::set<std::string> leftOut{label};
    for (const advice::ColumnRemark& remark : starting.leftOut) {
        leftOut.insert(remark.column);
    }
    std::vector<std::string> columns;
    for (const std::string& column : source.schema().names()) {
        if (leftOut.count(column) == 0) {
            columns.push_back(column);
        }
    }
    const bool classification = starting.task != "regression";
    CANNERY_TRY_ASSIGN(const std::vector<advice::Leak> leaks,
                       advice::findLeaks(source, label, classification, columns));
    for (const advice::Leak& leak : leaks) {
        starting.warnings.push_back(
            {leak.column,
             fmt::format("predicts the label almost by itself ({:.1f} %); if it is only "
                         "known after the fact, remove it",
                         100.0 * leak.share)});
    }
    return {};
}

} // namespace

Result<advice::StartingExperiment> startFrom(const data::DataSource& source,
                                             const TableStart& wanted)
{
    CANNERY_TRY_ASSIGN(data::ColumnStatistics labelTexts, survey::textsOf(source, wanted.label));
    CANNERY_TRY_ASSIGN(
        advice::CellFacts cells,
        advice::surveyCells(source, wanted.statistics, wanted.label, wanted.dateOrder));
    CANNERY_TRY_ASSIGN(advice::StartingExperiment starting,
                       advice::makeStartingExperiment({.schema = wanted.schema,
                                                       .statistics = wanted.statistics,
                                                       .label = wanted.label,
                                                       .labelTexts = std::move(labelTexts),
                                                       .estimator = wanted.estimator,
                                                       .leaveOut = wanted.leaveOut,
                                                       .dates = std::move(cells.dates),
                                                       .pieces = std::move(cells.pieces)}));
    if (!wanted.label.empty()) {
        CANNERY_TRY(addLeakWarnings(starting, source, wanted.label));
    }
    return starting;
}

} // namespace cannery::app
