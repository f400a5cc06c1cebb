// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/tabular/record_conversion.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

/// Weka's attribute-relation files:
///
///   header    = "@relation" name, { "@attribute" name type }, "@data"
///   type      = "numeric" | "real" | "integer" | "string" | "date" [format] | "{" value, … "}"
///   row       = value, … | "{" number value, … "}"        the second lists what is not 0
///
/// Keywords in any case; names and values in quotes if they hold blanks or commas; "?" is a missing
/// value, and "%" begins a comment.
namespace cannery::storage {

struct ArffAttribute
{
    std::string name;
    std::vector<std::string> values; ///< of a nominal one, in order
    bool isText = false;             ///< nominal, string or date
};

/// What a header declares.
struct ArffHeader
{
    std::vector<ArffAttribute> attributes;
    bool isWhole = false; ///< @data was found
};

/// Whether a text begins as such a file does.
bool beginsAsArff(std::string_view text);

/// Parses the beginning of a file. Errors: "csv.arff_header" for an attribute that cannot be read
/// or is a table itself.
Result<ArffHeader> parseArffHeader(std::string_view text, const std::string& path);

/// Converts the rows behind @data.
std::unique_ptr<RecordConverter> makeArffConverter(std::vector<ArffAttribute> attributes);

} // namespace cannery::storage
