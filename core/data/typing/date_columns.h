// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/dtype.h"
#include "core/base/result.h"
#include "core/data/sources/data_source.h"
#include "core/data/typing/date_evidence.h"
#include "core/spec/data.pb.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The columns whose cells an experiment reads as dates: that of a split by time and those that
/// parts of dates are made of.
namespace cannery::data {

/// Their names, each once.
std::vector<std::string> dateColumns(const spec::Data& data);

/// The notation of a column's dates as the message states it, or nothing.
std::optional<spec::DateNotation::Name> statedDateNotation(const spec::Data& data,
                                                           const std::string& column);
/// The same; iso if it is not stated.
spec::DateNotation::Name dateNotationOf(const spec::Data& data, const std::string& column);

/// The message with the notation of each of its date columns stated: where it is not yet, a pass
/// over the rows of the training source decides; the pass ends early if dates are written in a way
/// that leaves nothing to decide. Columns that the source lacks are left as they are. Errors: those
/// of reading; the rows leave the notation open (DateEvidence::notation).
Result<spec::Data> withDateNotations(const spec::Data& data, const DataSource& training);

/// The same with what another message of the same table states.
spec::Data withDateNotationsOf(const spec::Data& data, const spec::Data& known);

/// Whether withDateNotations() would read rows.
bool lacksDateNotations(const spec::Data& data);

/// What all rows of a column show about its dates.
Result<DateEvidence> dateEvidenceOf(const DataSource& source, const std::string& column,
                                    bool mayEndEarly);

/// How a number is made of a cell.
struct DateRecipe
{
    spec::DatePart::Name part = spec::DatePart::year;
    IsoTime origin; ///< from which days are counted
    spec::DateNotation::Name notation = spec::DateNotation::iso;

    /// Whole numbers but for the days.
    DType dtype() const;
    /// Nothing if the text is not a date in this notation.
    std::optional<double> read(std::string_view text) const;
    /// The same as a table would hold it.
    std::optional<std::string> readText(std::string_view text) const;
};

/// The recipe of a feature with a date_part. Errors: an origin that is not a time.
Result<DateRecipe> dateRecipe(const spec::Data& data, const spec::Feature& feature);

} // namespace cannery::data
