// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/allocation_survival.h"

#include "storage/io/crc32c.h"
#include "tests/fuzz/allocation_faults.h"

#include <dirent.h>

namespace cannery::tests {

namespace {

constexpr std::int64_t kMostFailures = 2000;

int openDescriptors()
{
    int count = 0;
    DIR* folder = ::opendir("/proc/self/fd");
    while (::readdir(folder) != nullptr) {
        ++count;
    }
    ::closedir(folder);
    return count;
}

struct Failure
{
    std::int64_t number;
    bool persists;
};

/// Number of leaked blocks if this allocation fails. Problems go into `problem`.
std::int64_t leftBy(const Load& load, Failure failure, Digest good, bool& isRefused,
                    QString& problem)
{
    const std::int64_t before = liveBlocks();
    QString said;
    {
        failAllocation(failure.number, failure.persists);
        const Result<Digest> read = load();
        stopFailing();
        isRefused = !read;
        if (read ? *read != good : read.error().code != ErrorCode::ResourceExhausted) {
            said = read ? "other content" : read.error().message().c_str();
        }
    }
    const std::int64_t left = liveBlocks() - before;
    problem = said;
    return left;
}

} // namespace

Digest add(Digest digest, std::string_view text)
{
    return storage::crc32c(text, digest) + static_cast<Digest>(text.size());
}

QString faultOf(const Load& load, LostBlocks lost)
{
    // Twice: one-time initializations are then done.
    if (const Result<Digest> first = load(); !first) {
        return first.error().message().c_str();
    }
    failAllocation(0, false);
    const Result<Digest> good = load();
    const std::int64_t count = stopFailing();
    if (!good || count == 0) {
        return "it reads nothing";
    }
    const std::int64_t stride = 1 + (count - 1) / kMostFailures;
    const int descriptors = openDescriptors();
    std::int64_t refusals = 0;
    for (const bool persists : {false, true}) {
        for (std::int64_t n = 1; n <= count; n += stride) {
            const QString place = QString("allocation %1 of %2: ").arg(n).arg(count);
            // What the runtime allocates at a first exception is kept once; a leak recurs.
            std::int64_t left = 1;
            for (int attempt = 0; attempt < 3 && left > 0; ++attempt) {
                bool isRefused = false;
                QString problem;
                left = leftBy(load, {n, persists}, *good, isRefused, problem);
                refusals += isRefused ? 1 : 0;
                if (!problem.isEmpty()) {
                    return place + problem;
                }
            }
            if (left > 0 && lost == LostBlocks::None) {
                return place + QString("leaves %1 blocks").arg(left);
            }
        }
    }
    if (refusals == 0) {
        return "nothing failed";
    }
    if (openDescriptors() != descriptors) {
        return "files stay open";
    }
    const Result<Digest> after = load();
    return after && *after == *good ? QString() : "it reads something else afterwards";
}

} // namespace cannery::tests
