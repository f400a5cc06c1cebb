// SPDX-License-Identifier: Apache-2.0
#include "tests/benchmarks/programs/parameter_rate.h"

#include "tests/core/parameters/served_model.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>
#include <vector>

namespace cannery::benchmarks {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kRowFloats = 16;

/// Seconds of each exchange, in ascending order; the first warms up.
Result<std::vector<double>> timesOf(double seconds, const std::function<Result<bool>()>& exchange)
{
    std::vector<double> times;
    CANNERY_TRY(exchange());
    const Clock::time_point end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                     std::chrono::duration<double>(seconds));
    do {
        const Clock::time_point begin = Clock::now();
        CANNERY_TRY(exchange());
        times.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
    } while (Clock::now() < end);
    std::ranges::sort(times);
    return times;
}

double median(const std::vector<double>& sorted)
{
    return sorted[sorted.size() / 2];
}

} // namespace

Result<ParameterRate> measureParameters(const ParameterRequest& request)
{
    const tests::RunningServer server(tests::serverOptions(1));
    tests::ServedModel model(request.tableRows, kRowFloats,
                             request.megabytes * 1000000 / std::int64_t{sizeof(float)});
    parameters::ParameterClient client(tests::clientOptions(server.address(), 1, 0));
    CANNERY_TRY(client.attach(model.attachment()));

    ParameterRate rate;
    const auto dense = model.denseStep(0.001F);
    const auto bytes = static_cast<double>(model.dense().size_bytes());
    CANNERY_TRY_ASSIGN(const auto pulls,
                       timesOf(request.seconds, [&] { return client.pull(dense); }));
    rate.pulledBytesPerSecond = bytes / median(pulls);
    CANNERY_TRY_ASSIGN(const auto pushes,
                       timesOf(request.seconds, [&] { return client.push(dense); }));
    rate.pushedBytesPerSecond = bytes / median(pushes);

    std::vector<std::int32_t> rows(static_cast<std::size_t>(request.rowsPerStep));
    const auto stride = static_cast<std::int32_t>(request.tableRows / request.rowsPerStep);
    std::ranges::generate(
        rows, [next = 0, stride]() mutable { return std::exchange(next, next + stride); });
    const auto table = model.tableStep(std::move(rows), 0.001F);
    const auto count = static_cast<double>(request.rowsPerStep);
    CANNERY_TRY_ASSIGN(const auto rowPulls,
                       timesOf(request.seconds, [&] { return client.pull(table); }));
    rate.pulledRowsPerSecond = count / median(rowPulls);
    CANNERY_TRY_ASSIGN(const auto rowPushes,
                       timesOf(request.seconds, [&] { return client.push(table); }));
    rate.pushedRowsPerSecond = count / median(rowPushes);

    const auto one = model.tableStep({0}, 0.001F);
    CANNERY_TRY_ASSIGN(const auto singles,
                       timesOf(request.seconds, [&] { return client.pull(one); }));
    rate.oneRowMicroseconds = 1e6 * median(singles);
    rate.oneRowTail = 1e6 * singles[singles.size() * 99 / 100];
    return rate;
}

} // namespace cannery::benchmarks
