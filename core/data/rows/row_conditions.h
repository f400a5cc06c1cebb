// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/rows/row_filter.h"
#include "core/filter/filter_syntax.h"

#include <memory>
#include <string>
#include <vector>

namespace cannery::data {

/// A part of a filter. Immutable.
class RowFilter::Condition
{
public:
    virtual ~Condition() = default;
    /// 1 for each row that matches, otherwise 0; `matches` has an element for each row.
    virtual void match(const storage::TableChunk& chunk,
                       std::vector<std::uint8_t>& matches) const = 0;
};

using RowCondition = std::unique_ptr<const RowFilter::Condition>;

RowCondition allOf(std::vector<RowCondition> parts);
RowCondition anyOf(std::vector<RowCondition> parts);
RowCondition noneOf(RowCondition part);
RowCondition isMissing(const std::string& column);
/// `value` must be a number if the column holds numbers; see isRowNumber().
RowCondition compares(const ColumnSchema& column, filter::Sign sign, const std::string& value);
RowCondition isOneOf(const ColumnSchema& column, const std::vector<std::string>& values);
/// Only for columns of texts.
RowCondition contains(const std::string& column, const std::string& part);

/// Whether a text is a number as filters write them: 30, -1.5, 1e6.
bool isRowNumber(const std::string& text);

} // namespace cannery::data
