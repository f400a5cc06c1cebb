// SPDX-License-Identifier: Apache-2.0
#include "core/survey/label_groups.h"

#include "core/features/raw_plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

namespace cannery::survey {

namespace {

constexpr std::size_t kQuarters = 4;

std::optional<double> finiteNumberIn(const std::string& text)
{
    const std::optional<double> number = features::numberFromText(text);
    return number && std::isfinite(*number) ? number : std::nullopt;
}

/// Not of the rows without a label; empty if one of the others is not a number.
std::vector<double> numbersIn(const std::vector<std::string>& labels)
{
    std::vector<double> numbers;
    for (const std::string& label : labels) {
        const std::optional<double> number = finiteNumberIn(label);
        if (number) {
            numbers.push_back(*number);
        } else if (!label.empty()) {
            // A text among the labels: they are classes, not numbers.
            return {};
        }
    }
    return numbers;
}

/// The largest number of each quarter but the last; fewer if they are the same.
std::vector<double> limitsOf(std::vector<double> numbers)
{
    std::sort(numbers.begin(), numbers.end());
    std::vector<double> limits;
    for (std::size_t quarter = 1; quarter < kQuarters && !numbers.empty(); ++quarter) {
        const double limit = numbers[(numbers.size() * quarter - 1) / kQuarters];
        // Equal limits would leave a group empty, and so would the largest number.
        if (limit < numbers.back() && (limits.empty() || limit > limits.back())) {
            limits.push_back(limit);
        }
    }
    return limits;
}

/// "≤ 12", "≤ 18", "≤ 30", "> 30".
LabelGroups rangesOf(const std::vector<std::string>& labels, const std::vector<double>& limits)
{
    LabelGroups groups;
    for (const double limit : limits) {
        groups.names.push_back(fmt::format("≤ {:.6g}", limit));
    }
    groups.names.push_back(fmt::format("> {:.6g}", limits.back()));
    for (const std::string& label : labels) {
        const std::optional<double> number = finiteNumberIn(label);
        const auto limit = std::lower_bound(limits.begin(), limits.end(), number.value_or(0));
        // Rows without a label have the place behind the last group.
        groups.ofRow.push_back(number ? static_cast<std::size_t>(limit - limits.begin())
                                      : groups.names.size());
    }
    return groups;
}

LabelGroups textsOf(const std::vector<std::string>& labels,
                    const std::map<std::string, std::size_t>& counts)
{
    std::vector<std::pair<std::string, std::size_t>> order(counts.begin(), counts.end());
    // The most frequent classes first, and of equally frequent ones by name.
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    const bool areMany = order.size() > kMostLabelGroups;
    // One place is left for all others.
    order.resize(areMany ? kMostLabelGroups - 1 : order.size());
    LabelGroups groups;
    std::map<std::string, std::size_t> places;
    for (const auto& [text, count] : order) {
        places.emplace(text, groups.names.size());
        groups.names.push_back(text);
    }
    if (areMany) {
        groups.names.emplace_back("other");
    }
    for (const std::string& label : labels) {
        const auto place = places.find(label);
        groups.ofRow.push_back(place != places.end() ? place->second
                               : label.empty()       ? groups.names.size()
                                                     : groups.names.size() - 1);
    }
    return groups;
}

} // namespace

LabelGroups labelGroups(const std::vector<std::string>& labels)
{
    std::map<std::string, std::size_t> counts;
    for (const std::string& label : labels) {
        ++counts[label];
    }
    // Rows without a label are not a class.
    counts.erase(std::string());
    const std::vector<double> limits =
        counts.size() > kMostLabelGroups ? limitsOf(numbersIn(labels)) : std::vector<double>();
    LabelGroups groups = limits.empty() ? textsOf(labels, counts) : rangesOf(labels, limits);
    // Named only if there are such rows.
    if (std::find(groups.ofRow.begin(), groups.ofRow.end(), groups.names.size()) !=
        groups.ofRow.end()) {
        groups.names.emplace_back();
    }
    return groups;
}

} // namespace cannery::survey
