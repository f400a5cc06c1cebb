// SPDX-License-Identifier: Apache-2.0
#include "core/base/interruption.h"

namespace cannery {

namespace {

constexpr ErrorKind kInterrupted{
    kInterruptedId, "Stopped while the data was being read: no step was taken, and what was there "
                    "is as it was."};

// Global, since reading happens in threads that do not know who requested it.
std::atomic<const std::atomic<bool>*> s_flag{nullptr};

} // namespace

Interruptible::Interruptible(const std::atomic<bool>* flag) : m_before(s_flag.exchange(flag)) {}

Interruptible::~Interruptible()
{
    s_flag.store(m_before);
}

Result<void> goOnUnlessInterrupted()
{
    const std::atomic<bool>* flag = s_flag.load(std::memory_order_acquire);
    if (flag != nullptr && flag->load(std::memory_order_relaxed)) {
        return fail(ErrorCode::Cancelled, kInterrupted);
    }
    return {};
}

} // namespace cannery
