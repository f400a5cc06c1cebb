// SPDX-License-Identifier: Apache-2.0
#include "core/strategies/network_probe.h"

#include "core/collectives/gloo_communicator.h"
#include "core/collectives/memory_store.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <limits>
#include <vector>

namespace cannery::strategies {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRanks = 2;
constexpr const char* kLoopback = "127.0.0.1";
constexpr std::size_t kShort = 1;
constexpr std::size_t kLong = std::size_t{1} << 20U; ///< floats: 4 MiB
constexpr int kSumsOfARound = 4;
constexpr double kLeastSeconds = 1e-6; ///< a difference of two measurements may be negative

double secondsFrom(Clock::time_point begin)
{
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// The least seconds that one sum of `count` values took, of as many as fit into `seconds`: a busy
/// machine delays most of them. Both ranks take as many rounds: rank 0 says which is the last.
Result<double> timeSums(collectives::Communicator& group, std::size_t count, double seconds)
{
    std::vector<float> values(count);
    std::vector<float> last(1);
    double least = std::numeric_limits<double>::infinity();
    const Clock::time_point begin = Clock::now();
    while (last.front() == 0.0F) {
        for (int i = 0; i < kSumsOfARound; ++i) {
            const Clock::time_point start = Clock::now();
            CANNERY_TRY(group.allReduce(values));
            least = std::min(least, secondsFrom(start));
        }
        last.front() = group.rank() == 0 && secondsFrom(begin) >= seconds ? 1 : 0;
        CANNERY_TRY(group.allReduce(last));
    }
    return least;
}

/// With two ranks a short sum is one exchange, a long one exchanges half of it twice.
Result<NetworkFigures> measureAs(int rank, collectives::KeyValueStore& store, double seconds)
{
    CANNERY_TRY_ASSIGN(
        const auto group,
        collectives::connectGloo(
            {.rank = rank, .size = kRanks, .store = &store, .prefix = "probe", .host = kLoopback}));
    CANNERY_TRY_ASSIGN(const double latency, timeSums(*group, kShort, seconds / 2));
    CANNERY_TRY_ASSIGN(const double both, timeSums(*group, kLong, seconds / 2));
    const double wire = std::max(kLeastSeconds, both - 2 * latency);
    return NetworkFigures{.latencySeconds = latency,
                          .bytesPerSecond = static_cast<double>(kLong * sizeof(float)) / wire};
}

} // namespace

Result<NetworkFigures> measureLoopback(double seconds)
{
    collectives::MemoryStore store;
    std::future<Result<NetworkFigures>> peer =
        std::async(std::launch::async, [&] { return measureAs(1, store, seconds); });
    Result<NetworkFigures> own = measureAs(0, store, seconds);
    CANNERY_TRY(peer.get());
    return own;
}

} // namespace cannery::strategies
