// SPDX-License-Identifier: Apache-2.0
// how long a cluster's tasks need to register with the chief's coordinator and to form a
// generation; and to form the next one after one of them was lost. All in one process: members are
// threads with connections of their own, over loopback. Argument: the number of tasks (1024).
#include "tests/core/coordinator/test_cluster.h"

#include <fmt/core.h>

#include <cstdio>
#include <cstdlib>
#include <sys/resource.h>
#include <thread>

using namespace cannery;
using namespace cannery::coordinator;

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kConnecting = 16; ///< at a time

double secondsSince(Clock::time_point begin)
{
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Every task needs two sockets.
void allowManySockets()
{
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

bool connectMany(tests::TestCluster& cluster, int size)
{
    cluster.members.resize(static_cast<std::size_t>(size));
    std::atomic<int> next = 0;
    std::atomic<bool> isGood = true;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < kConnecting; ++i) {
            threads.emplace_back([&] {
                for (int rank = next++; rank < size && isGood; rank = next++) {
                    auto member = cluster.connect(rank);
                    if (!member) {
                        fmt::print(stderr, "{}\n", member.error().message());
                        isGood = false;
                        return;
                    }
                    cluster.members[static_cast<std::size_t>(rank)] = *std::move(member);
                }
            });
        }
    }
    return isGood;
}

} // namespace

int main(int argumentCount, char** arguments)
{
    const int size = argumentCount > 1 ? std::atoi(arguments[1]) : 1024;
    allowManySockets();
    tests::TestCluster cluster(size);
    const auto started = cluster.start();
    if (!started) {
        fmt::print(stderr, "{}\n", started.error().message());
        return 1;
    }
    Clock::time_point begin = Clock::now();
    if (!connectMany(cluster, size)) {
        return 1;
    }
    const double registered = secondsSince(begin);
    begin = Clock::now();
    if (!tests::areAllIn(cluster.joinAll(), 1)) {
        fmt::print(stderr, "the tasks do not agree on generation 1\n");
        return 1;
    }
    const double formed = secondsSince(begin);
    begin = Clock::now();
    cluster.members.back().reset();
    auto newer = cluster.connect(size - 1, 2);
    if (!newer) {
        fmt::print(stderr, "{}\n", newer.error().message());
        return 1;
    }
    cluster.members.back() = *std::move(newer);
    if (!tests::areAllIn(cluster.joinAll(), 2)) {
        fmt::print(stderr, "the tasks do not agree on generation 2\n");
        return 1;
    }
    fmt::print("{} tasks: registered in {:.2f} s, formed a generation in {:.2f} s, the next one "
               "after a loss in {:.2f} s\n",
               size, registered, formed, secondsSince(begin));
    return 0;
}
