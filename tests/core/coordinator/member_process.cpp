// SPDX-License-Identifier: Apache-2.0
// A member of rank 1 in a process of its own, for tests that kill and stop it: says each generation
// and how it ended on standard output. Arguments: address, incarnation.
#include "tests/core/coordinator/test_cluster.h"

#include <cstdio>
#include <cstdlib>
#include <semaphore>

using namespace cannery;
using namespace cannery::coordinator;

namespace {

void say(const std::string& line)
{
    std::printf("%s\n", line.c_str());
    std::fflush(stdout);
}

} // namespace

int main(int argumentCount, char** arguments)
{
    if (argumentCount != 3) {
        return 2;
    }
    tests::TestCluster cluster(2);
    cluster.address = arguments[1];
    cluster.beats = tests::kImpatientBeats;
    Member::Options options = cluster.memberOptions(1, std::strtoull(arguments[2], nullptr, 10));
    std::counting_semaphore<> broken(0);
    options.onBroken = [&broken](std::int64_t) { broken.release(); };
    const auto member = Member::connect(std::move(options));
    if (!member) {
        say(member.error().id);
        return 1;
    }
    for (;;) {
        const Result<Generation> generation = (*member)->join();
        if (!generation) {
            say(generation.error().id);
            return 0;
        }
        say("generation " + std::to_string(generation->number));
        broken.acquire();
    }
}
