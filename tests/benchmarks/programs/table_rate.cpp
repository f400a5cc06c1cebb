// SPDX-License-Identifier: Apache-2.0
#include "tests/benchmarks/programs/table_rate.h"

#include "core/data/sources/data_source.h"
#include "core/data/sources/data_source_catalog.h"
#include "core/data/statistics.h"
#include "kernels/device/thread_pool.h"

#include <chrono>
#include <ctime>
#include <filesystem>

namespace cannery::benchmarks {

Result<TablePass> readTable(const std::string& file, std::size_t threads, bool statistics)
{
    const spec::DataSource message = data::sourceOfFile(file);
    const auto begin = std::chrono::steady_clock::now();
    const std::clock_t processorBegin = std::clock();
    CANNERY_TRY_ASSIGN(const auto source, data::openDataSource(message, {}));
    kernels::ThreadPool pool(static_cast<int>(threads));
    data::ChunkRequest request{.threads = kernels::lend(pool)};
    for (const std::string& column : source->schema().names()) {
        request.columns.push_back({.column = column});
    }
    CANNERY_TRY_ASSIGN(const auto stream, source->read(request));
    TablePass pass{.bytes = std::filesystem::file_size(file)};
    data::StatisticsCollector collector;
    while (true) {
        CANNERY_TRY_ASSIGN(const std::optional<storage::TableChunk> chunk, stream->next());
        if (!chunk) {
            break;
        }
        if (statistics) {
            CANNERY_TRY(collector.add(*chunk, request.threads));
        }
    }
    pass.rows = stream->report().rows;
    pass.cells = pass.rows * request.columns.size();
    pass.processorSeconds = static_cast<double>(std::clock() - processorBegin) / CLOCKS_PER_SEC;
    pass.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return pass;
}

} // namespace cannery::benchmarks
