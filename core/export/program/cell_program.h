// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/spec/data.pb.h"

#include <set>
#include <string>
#include <string_view>

/// How a program reads cells that are neither plain numbers nor texts.
namespace cannery::exporting {

/// The modules that they need.
std::set<std::string> cellImports(const spec::Data& data);

/// Function that makes a reader of numbers in a notation of their own; needs DTYPES.
std::string_view writtenNumbers();

/// A call of it. `kind`: the Python type that is read; `usualMark`: the table's decimal mark.
std::string writtenNumberReader(const spec::NumberNotation& notation, std::string_view kind,
                                spec::DecimalMark::Name usualMark);

/// Functions that read dates in every notation: date_of(), date_parts().
std::string_view dateReaders();

/// A call of date_of() on a Python expression.
std::string dateReadCall(const std::string& text, spec::DateNotation::Name notation);

/// A call of date_parts() on `rows`.
std::string datePartsCall(const spec::DatePart& part, spec::DateNotation::Name notation);

} // namespace cannery::exporting
