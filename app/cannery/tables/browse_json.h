// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"
#include "core/data/rows/row_filter.h"
#include "core/data/table_browser.h"
#include "core/spec/data.pb.h"

#include <string>
#include <vector>

namespace cannery::app {

// JSON objects, each on one line.

/// `{"files","settings","columns"}`: what is known before any row is read.
std::string tableInfoJson(const data::DataSource& source, const std::vector<std::string>& uses);
/// `{"first","total","so_far","numbers","texts"}`: `first` counts from 0; `numbers` are
/// the rows' numbers in the table, from 1; `texts` as in the preview.
std::string pageJson(const data::TableSchema& schema, const data::RowsPage& page);
/// `{"so_far","rows","other_rows","columns"}`, columns as in the preview.
std::string statisticsJson(const data::TableSchema& schema, const data::TableStatistics& statistics,
                           const std::vector<std::string>& uses, bool isSoFar);
/// `{"total","so_far","rows":[{"file","line","message","text"}]}`: rows left out.
std::string refusedJson(const data::TableBrowser& browser, std::size_t first, std::size_t count);
/// `{"rows","bad_rows","so_far"}`
std::string extentJson(const data::BrowseExtent& extent);
/// `{"doing","done","total"}`
std::string stepJson(const data::BrowseProgress& progress);
/// errorObjectJson() with `position` and `length` in characters.
std::string problemJson(const data::FilterProblem& problem);

/// "label" or "key" for the columns that the data names as such, "" for all others.
std::vector<std::string> usesOfTable(const spec::Data& data, const data::TableSchema& schema);

} // namespace cannery::app
