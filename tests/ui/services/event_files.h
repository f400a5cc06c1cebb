// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/curves/series.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Event files for tests.
namespace cannery::tests {

struct LoggedScalar
{
    std::int64_t step = 0;
    float value = 0;

    bool operator==(const LoggedScalar&) const = default;
};

/// Writes `count` values of each tag, one summary per step, from `firstStep` on. The file's name
/// sorts by `second`. Returns its path.
std::string writeEvents(const std::string& folder, int second, const std::vector<std::string>& tags,
                        std::int64_t firstStep, std::int64_t count, bool beginsSession = false);

/// The value that writeEvents() logs.
float loggedValue(std::int64_t step, std::size_t tag);

void appendBytes(const std::string& path, std::string_view bytes);
void writeBytes(const std::string& path, std::string_view bytes);

/// What EventReader finds for a tag in a folder, up to the damage in each file.
std::vector<LoggedScalar> byReader(const std::string& folder, const std::string& tag);
std::vector<LoggedScalar> contentOf(const ui::Series& series);

} // namespace cannery::tests
