// SPDX-License-Identifier: Apache-2.0
// The part of fault_shim.cpp that limits the number of concurrent threads.

#include "tests/faults/fault_plan.h"

#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>

using namespace cannery::faults;

namespace {

struct ThreadJob
{
    void* (*run)(void*);
    void* argument;
};

std::atomic<long> liveThreads{0};

void* runCounted(void* given)
{
    const ThreadJob job = *static_cast<ThreadJob*>(given);
    delete static_cast<ThreadJob*>(given);
    void* result = job.run(job.argument);
    --liveThreads;
    return result;
}

} // namespace

extern "C" {

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                   void* argument)
{
    using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
    static const auto create = next<Create>("pthread_create");
    const char* most = variable("CANNERY_FAULT_THREADS");
    if (*most == '\0') {
        return create(thread, attributes, run, argument);
    }
    if (++liveThreads > atol(most)) {
        --liveThreads;
        return EAGAIN;
    }
    auto* job = new ThreadJob{run, argument};
    const int status = create(thread, attributes, runCounted, job);
    if (status != 0) {
        --liveThreads;
        delete job;
    }
    return status;
}

} // extern "C"
