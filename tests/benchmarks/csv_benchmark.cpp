// csv_benchmark FILE [THREADS]: megabytes of a CSV file per second turned into typed columns, and
// the same with statistics of every column in the pass. The best of three.

#include "core/data/data_source.h"
#include "core/data/statistics.h"

#include <fmt/core.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>

using namespace cannery;

namespace {

Result<void> readAll(const data::DataSource& source, std::size_t threads, bool statistics)
{
    data::ChunkRequest request{.threads = threads};
    for (const std::string& column : source.schema().names()) {
        request.columns.push_back({.column = column});
    }
    CANNERY_TRY_ASSIGN(const std::unique_ptr<data::ChunkStream> stream, source.read(request));
    data::StatisticsCollector collector;
    while (true) {
        CANNERY_TRY_ASSIGN(const std::optional<storage::TableChunk> chunk, stream->next());
        if (!chunk) {
            return {};
        }
        if (statistics) {
            collector.add(*chunk);
        }
    }
}

double bestRate(const data::DataSource& source, double megabytes, std::size_t threads,
                bool statistics)
{
    double best = 0;
    for (int round = 0; round < 3; ++round) {
        const auto begin = std::chrono::steady_clock::now();
        if (const Result<void> done = readAll(source, threads, statistics); !done) {
            fmt::print(stderr, "{}\n", done.error().message());
            std::exit(1);
        }
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
        best = std::max(best, megabytes / seconds.count());
    }
    return best;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc < 2) {
        fmt::print(stderr, "usage: csv_benchmark FILE [THREADS]\n");
        return 2;
    }
    spec::DataSource message;
    message.mutable_csv()->add_files(argv[1]);
    const auto source = data::openDataSource(message, {});
    if (!source) {
        fmt::print(stderr, "{}\n", source.error().message());
        return 1;
    }
    const double megabytes = static_cast<double>(std::filesystem::file_size(argv[1])) / 1e6;
    const std::size_t threads = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
    fmt::print("{:.1f} MB/s typed columns\n", bestRate(**source, megabytes, threads, false));
    fmt::print("{:.1f} MB/s with statistics\n", bestRate(**source, megabytes, threads, true));
    return 0;
}
