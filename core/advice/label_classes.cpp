// SPDX-License-Identifier: Apache-2.0
#include "core/advice/label_classes.h"

#include "core/base/canonical_number.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <tuple>

namespace cannery::advice {

namespace {

/// A spelling and how often it occurs.
using Spelling = data::ValueCount;

std::optional<std::string> canonicalOf(std::string text, bool decimalComma)
{
    if (decimalComma) {
        std::ranges::replace(text, ',', '.');
    }
    return canonicalNumber(text);
}

bool isBetter(const Spelling& a, const Spelling& b)
{
    // The most frequent spelling, and of equal ones the shortest.
    return std::tuple(b.count, a.value.size(), a.value) <
           std::tuple(a.count, b.value.size(), b.value);
}

double magnitudeOf(const std::string& canonical)
{
    return std::strtod(canonical.c_str(), nullptr);
}

bool areIds(const std::vector<std::string>& names)
{
    for (std::size_t id = 0; id < names.size(); ++id) {
        if (std::ranges::find(names, std::to_string(id)) == names.end()) {
            return false;
        }
    }
    return true;
}

} // namespace

LabelClasses classesOf(const data::ColumnStatistics& texts, bool isOfNumbers, bool decimalComma)
{
    LabelClasses classes{.areComplete = texts.top.size() >= texts.distinct};
    std::map<std::string, Spelling> numbers; ///< the best spelling of each
    std::vector<std::string> others;
    for (const data::ValueCount& value : texts.top) {
        const std::optional<std::string> number = canonicalOf(value.value, decimalComma);
        // An empty cell has no class.
        if (value.value.empty()) {
            continue;
        }
        if (!number) {
            others.push_back(value.value);
            continue;
        }
        const auto [known, isNew] = numbers.try_emplace(*number, value);
        // 1 and 1.0 are one class, which gets the usual spelling.
        if (!isNew && isBetter(value, known->second)) {
            known->second = value;
        }
    }
    classes.areNumbers = isOfNumbers || others.empty();
    // One text makes all of them texts.
    if (!classes.areNumbers) {
        for (const data::ValueCount& value : texts.top) {
            classes.names.push_back(value.value);
        }
        std::erase(classes.names, std::string());
        std::ranges::sort(classes.names);
        return classes;
    }
    classes.notNumbers = std::move(others);
    std::vector<std::pair<double, std::string>> sorted;
    for (const auto& [number, spelling] : numbers) {
        sorted.emplace_back(magnitudeOf(number), spelling.value);
    }
    // By size, as "10" comes behind "9".
    std::ranges::sort(sorted);
    for (auto& [value, name] : sorted) {
        classes.names.push_back(std::move(name));
    }
    classes.areClassIds = areIds(classes.names);
    return classes;
}

bool areWholeNumbers(const data::ColumnStatistics& column)
{
    return column.top.size() >= column.distinct &&
           std::ranges::all_of(column.top, [](const data::ValueCount& value) {
               const double number = std::strtod(value.value.c_str(), nullptr);
               return std::isnan(number) || number == std::floor(number);
           });
}

} // namespace cannery::advice
