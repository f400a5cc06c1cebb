// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/tf/events/event_reader.h"

#include <string>
#include <vector>

namespace cannery::tests {

/// Calls take(step, value) for every value in the event files of a folder, in order, up to a
/// damage.
template <typename Take>
void forEachEventValue(const std::string& folder, const Take& take)
{
    const auto files = storage::listEventFiles(folder);
    for (const std::string& file : files.value_or(std::vector<std::string>())) {
        auto reader = storage::EventReader::open(file);
        while (reader) {
            const auto event = reader->next();
            if (!event || !*event) {
                break;
            }
            for (const storage::EventValue& value : (*event)->values) {
                take((*event)->step, value);
            }
        }
    }
}

} // namespace cannery::tests
