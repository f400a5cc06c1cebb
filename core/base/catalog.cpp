// SPDX-License-Identifier: Apache-2.0
#include "core/base/catalog.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <numeric>

namespace cannery {

namespace {

constexpr std::size_t kMostNamesListed = 12;

char lower(char c)
{
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

/// Longer names are not compared: they are not typing errors.
constexpr std::size_t kMostComparedBytes = 200;

/// Levenshtein distance, ignoring case; `limit` or more if it is not below that.
std::size_t editDistance(std::string_view a, std::string_view b, std::size_t limit)
{
    // Each difference in length costs one edit at least.
    if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) >= limit) {
        return limit;
    }
    // One row of the table is enough for the distance.
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        std::size_t least = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t substitution =
                diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0U : 1U);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitution});
            least = std::min(least, row[j]);
        }
        // No later row can be below the least of this one.
        if (least >= limit) {
            return limit;
        }
    }
    return row[b.size()];
}

} // namespace

std::string nearestName(std::string_view name, const std::vector<std::string>& known)
{
    if (name.size() > kMostComparedBytes) {
        return {};
    }
    // A third of the name may be wrong: more is another name.
    const std::size_t limit = (name.size() + 2) / 3;
    std::string best;
    std::size_t bestDistance = limit + 1;
    for (const std::string& candidate : known) {
        if (candidate == name) {
            continue; // the problem is not its spelling
        }
        const std::size_t distance = editDistance(name, candidate, bestDistance);
        // Of equally near names the first is taken.
        if (distance < bestDistance) {
            best = candidate;
            bestDistance = distance;
        }
    }
    return best;
}

std::string suggestion(std::string_view name, const std::vector<std::string>& known)
{
    if (const std::string nearest = nearestName(name, known); !nearest.empty()) {
        return fmt::format(" Did you mean '{}'?", nearest);
    }
    // Nothing to choose from: the sentence ends here.
    if (known.empty()) {
        return {};
    }
    const std::size_t count = std::min(known.size(), kMostNamesListed);
    const std::vector<std::string> listed(known.begin(), known.begin() + static_cast<long>(count));
    return fmt::format(" Known: {}{}.", fmt::join(listed, ", "), count < known.size() ? ", …" : "");
}

} // namespace cannery
