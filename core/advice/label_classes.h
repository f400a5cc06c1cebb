// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/statistics.h"

#include <string>
#include <vector>

namespace cannery::advice {

/// The classes of a label column, by the texts of its cells.
struct LabelClasses
{
    /// One spelling each, the most frequent one; numbers in their order, else as texts.
    std::vector<std::string> names;
    bool areNumbers = false;             ///< compared as numbers: "1", "+1" and "1.0" are one class
    bool areClassIds = false;            ///< exactly 0, 1, …, n-1, written so
    bool areComplete = false;            ///< every value was counted
    std::vector<std::string> notNumbers; ///< of a column of numbers: what stands for none
};

/// `texts`: of the column read as text. `isOfNumbers`: its cells were taken for numbers, so that
/// others, such as nan, are no classes. `decimalComma`: 3,14 is a number.
LabelClasses classesOf(const data::ColumnStatistics& texts, bool isOfNumbers, bool decimalComma);

/// Whether all values of a column of floats are whole numbers, such as 0.0 and 1.0.
bool areWholeNumbers(const data::ColumnStatistics& column);

} // namespace cannery::advice
