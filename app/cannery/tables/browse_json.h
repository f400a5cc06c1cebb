// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"
#include "core/data/rows/row_filter.h"
#include "core/data/table_browser.h"
#include "core/reports/browse.pb.h"
#include "core/spec/data.pb.h"

#include <string>
#include <vector>

namespace cannery::app {

// Parts of the answers of `browse`.

/// Known before any row is read.
reports::BrowsedTable tableReport(const data::DataSource& source,
                                  const std::vector<std::string>& uses);
reports::RowsPage pageReport(const data::TableSchema& schema, const data::RowsPage& page);
reports::RowsStatistics statisticsReport(const data::TableSchema& schema,
                                         const data::TableStatistics& statistics,
                                         const std::vector<std::string>& uses, bool isSoFar);
/// Rows that were left out, from `first` on.
reports::RefusedRows refusedReport(const data::TableBrowser& browser, std::size_t first,
                                   std::size_t count);
reports::TableExtent extentReport(const data::BrowseExtent& extent);
reports::BrowseStep stepReport(const data::BrowseProgress& progress);
reports::BrowseError errorReport(const Error& error);
/// The same with its place in the filter.
reports::BrowseError problemReport(const data::FilterProblem& problem);

/// "label" or "key" for the columns that the data names as such, "" for all others.
std::vector<std::string> usesOfTable(const spec::Data& data, const data::TableSchema& schema);

} // namespace cannery::app
