// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/dtype.h"
#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace cannery::data {

/// A value of some dtype; both widths of integers are std::int64_t.
using DefaultValue = std::variant<float, double, std::int64_t, std::string>;

/// What a missing cell of a column means: one value, or none if the text is empty and the dtype not
/// string. The text is in plain notation, and that of an integer may have a decimal point. Error:
/// "data.bad_default" for one that is not of the dtype.
Result<std::vector<DefaultValue>> defaultValueOf(const std::string& column, const std::string& text,
                                                 DType dtype);

} // namespace cannery::data
