// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/sources/data_source.h"
#include "core/reports/report_list.h"
#include "core/reports/table.pb.h"
#include "core/spec/data.pb.h"

#include <string>
#include <vector>

namespace cannery::survey {

/// The values of fields of a CsvSource.
std::vector<std::string> encodingChoices();
std::vector<std::string> decimalMarkChoices();

/// A source that reads one file or folder, of the kind that its content says, and says nothing
/// else but the encoding of a text that is evidently not UTF-8.
spec::DataSource sourceOfTable(const std::string& file);

/// Whether a source reads text files.
bool readsText(const spec::DataSource& source);

/// Sets a field of the source's own message, such as "field_delim" or "encoding", to a text, a
/// number, "true" or "false", or one of its choices; false if the kind of source has no such field
/// or choice.
bool setField(spec::DataSource& source, const std::string& field, const std::string& value);
/// Takes the text out of such a field; empty if it is not set.
std::string takeField(spec::DataSource& source, const std::string& field);

/// The same source for tables that this program has written itself, in UTF-8 with commas, quotes
/// and a header; missing tokens and the decimal mark stay.
spec::DataSource asPlainTable(spec::DataSource source);

/// Writes into the message what a new experiment should state about its table, and returns it.
std::vector<data::SourceSetting> adoptSettings(const data::DataSource& opened,
                                               spec::DataSource& message);

/// "Read with encoding: utf16 (the byte order mark of UTF-16)" for each.
std::vector<std::string> settingLines(const std::vector<data::SourceSetting>& settings);

/// The settings as answers have them.
reports::ReportList<reports::SourceSetting>
settingsReport(const std::vector<data::SourceSetting>& settings);

} // namespace cannery::survey
