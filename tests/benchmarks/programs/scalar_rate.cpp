// SPDX-License-Identifier: Apache-2.0
#include "tests/benchmarks/programs/scalar_rate.h"

#include "storage/tf/events/event_reader.h"
#include "storage/tf/events/event_writer.h"

#include <fmt/core.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <vector>

namespace cannery::benchmarks {

Result<ScalarPass> writeScalars(const std::string& folder, std::int64_t steps, int tags)
{
    std::vector<std::string> names;
    for (int tag = 0; tag < tags; ++tag) {
        names.push_back(fmt::format("layer_{}/loss", tag));
    }
    CANNERY_TRY_ASSIGN(storage::EventWriter writer, storage::EventWriter::create(folder));
    const auto begin = std::chrono::steady_clock::now();
    storage::SummaryBuilder summary;
    for (std::int64_t step = 0; step < steps; ++step) {
        const float value = std::sin(static_cast<float>(step) * 0.001F);
        for (const std::string& name : names) {
            summary.clear();
            summary.scalar(name, value);
            CANNERY_TRY(writer.writeSummary(step, summary));
        }
    }
    CANNERY_TRY(writer.close());
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    return ScalarPass{.seconds = spent.count(), .bytes = std::filesystem::file_size(writer.path())};
}

Result<std::int64_t> countScalars(const std::string& folder)
{
    CANNERY_TRY_ASSIGN(const auto files, storage::listEventFiles(folder));
    std::int64_t count = 0;
    for (const std::string& file : files) {
        CANNERY_TRY_ASSIGN(auto reader, storage::EventReader::open(file));
        while (true) {
            CANNERY_TRY_ASSIGN(const auto event, reader.next());
            if (!event) {
                break;
            }
            count += static_cast<std::int64_t>(event->values.size());
        }
    }
    return count;
}

} // namespace cannery::benchmarks
