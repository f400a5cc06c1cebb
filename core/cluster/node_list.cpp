// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/node_list.h"

#include "core/cluster/roles.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace cannery::cluster {
namespace {

constexpr ErrorKind kBadNodeList{
    "cluster.bad_node_list",
    "The list of nodes from Slurm, \"{}\", cannot be read at \"{}\". It should look like "
    "node[01-03,7],gpu5."};
constexpr ErrorKind kBadTasksPerNode{
    "cluster.bad_tasks_per_node",
    "Slurm's numbers of tasks per node, \"{}\", do not fit the {} nodes of this step. They should "
    "look like 2(x3),1."};

/// Slurm prints at most nine digits.
constexpr std::size_t kMostDigits = 9;

using Names = std::vector<std::string>;

/// Digits only.
std::optional<int> numberOf(std::string_view digits)
{
    const bool areDigits = std::all_of(digits.begin(), digits.end(), [](char character) {
        return character >= '0' && character <= '9';
    });
    if (digits.empty() || digits.size() > kMostDigits || !areDigits) {
        return std::nullopt;
    }
    int number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
}

/// Adds "01-03" or "7" of a group; false if it is neither, or too much.
bool appendRange(std::string_view range, Names& numbers)
{
    const std::string_view first = range.substr(0, range.find('-'));
    // A single number is a range of one.
    const std::string_view last =
        first.size() < range.size() ? range.substr(first.size() + 1) : first;
    const std::optional<int> from = numberOf(first);
    const std::optional<int> to = numberOf(last);
    // Bounded before the loop, as a list from elsewhere may have any numbers.
    if (!from || !to || *from > *to || *to - *from >= kMostTasks) {
        return false;
    }
    for (int number = *from; number <= *to; ++number) {
        // With as many digits as the first one: "01-03" has leading zeros.
        numbers.push_back(fmt::format("{:0{}}", number, first.size()));
    }
    return numbers.size() <= kMostTasks;
}

/// The parts of a list between commas; commas inside brackets do not count.
std::vector<std::string_view> partsOf(std::string_view list)
{
    std::vector<std::string_view> parts;
    std::size_t begin = 0;
    bool isInGroup = false;
    for (std::size_t at = 0; at < list.size(); ++at) {
        // Brackets are not nested.
        isInGroup = list[at] == '[' || (isInGroup && list[at] != ']');
        if (list[at] == ',' && !isInGroup) {
            parts.push_back(list.substr(begin, at - begin));
            begin = at + 1;
        }
    }
    parts.push_back(list.substr(begin));
    return parts;
}

bool isNameText(std::string_view text)
{
    return std::all_of(text.begin(), text.end(), [](char character) {
        return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
               (character >= '0' && character <= '9') || character == '-' || character == '.' ||
               character == '_';
    });
}

/// Every name so far, continued with every ending: the last group varies fastest.
std::optional<Names> combined(const Names& names, const Names& endings)
{
    // The product of several groups can be large.
    if (names.size() * endings.size() > kMostTasks) {
        return std::nullopt;
    }
    Names result;
    result.reserve(names.size() * endings.size());
    for (const std::string& name : names) {
        for (const std::string& ending : endings) {
            result.push_back(name + ending);
        }
    }
    return result;
}

/// The hosts of one part, such as "rack[1-2]node[01-03]".
std::optional<Names> hostsOf(std::string_view part)
{
    Names hosts{""};
    while (!part.empty()) {
        const std::string_view text = part.substr(0, part.find('['));
        part.remove_prefix(text.size());
        const std::size_t end = part.find(']');
        Names numbers;
        if (!part.empty() && end != std::string_view::npos) {
            for (const std::string_view range : partsOf(part.substr(1, end - 1))) {
                if (!appendRange(range, numbers)) {
                    return std::nullopt;
                }
            }
            part.remove_prefix(end + 1);
        }
        // A group without an end, or with nothing in it.
        const bool isCut = !part.empty() && part.front() == '[' && numbers.empty();
        if (isCut || !isNameText(text)) {
            return std::nullopt;
        }
        const std::optional<Names> withText = combined(hosts, {std::string(text)});
        const std::optional<Names> all =
            withText && !numbers.empty() ? combined(*withText, numbers) : withText;
        if (!all) {
            return std::nullopt;
        }
        hosts = *all;
    }
    // A part without a name names no host.
    return hosts.front().empty() ? std::nullopt : std::optional(hosts);
}

} // namespace

Result<std::vector<std::string>> parseNodeList(std::string_view list)
{
    Names hosts;
    for (const std::string_view part : partsOf(list)) {
        const std::optional<Names> names = hostsOf(part);
        if (!names || hosts.size() + names->size() > kMostTasks) {
            return fail(ErrorCode::InvalidArgument, kBadNodeList, list, part);
        }
        hosts.insert(hosts.end(), names->begin(), names->end());
    }
    return hosts;
}

Result<std::vector<int>> parseTasksPerNode(std::string_view counts, std::size_t nodes)
{
    std::vector<int> result;
    for (std::string_view part : partsOf(counts)) {
        const std::string_view count = part.substr(0, part.find('('));
        part.remove_prefix(count.size());
        std::optional<int> times = 1;
        if (!part.empty()) {
            const bool isRepeat = part.starts_with("(x") && part.ends_with(')');
            // "2(x3)" is three nodes with two tasks each.
            times = isRepeat ? numberOf(part.substr(2, part.size() - 3)) : std::nullopt;
        }
        const std::optional<int> tasks = numberOf(count);
        if (!tasks || *tasks < 1 || *tasks > kMostTasks || !times ||
            static_cast<std::size_t>(*times) > nodes - std::min(nodes, result.size())) {
            return fail(ErrorCode::InvalidArgument, kBadTasksPerNode, counts, nodes);
        }
        result.insert(result.end(), static_cast<std::size_t>(*times), *tasks);
    }
    // Counts for other nodes would give tasks the wrong hosts.
    if (result.size() != nodes) {
        return fail(ErrorCode::InvalidArgument, kBadTasksPerNode, counts, nodes);
    }
    return result;
}

} // namespace cannery::cluster
