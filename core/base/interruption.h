// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <atomic>
#include <string_view>

namespace cannery {

/// The id of the error returned by interrupted(), under Cancelled.
inline constexpr std::string_view kInterruptedId = "base.interrupted";

/// While it exists, reading loops of the whole process end with an Error once the flag is set: a
/// signal reaches every thread that reads a table, however it was called. Only for periods without
/// work that must be completed. Scopes may be nested; the innermost counts. A null flag: nothing
/// interrupts.
class Interruptible
{
public:
    explicit Interruptible(const std::atomic<bool>* flag);
    ~Interruptible();
    Interruptible(const Interruptible&) = delete;
    Interruptible& operator=(const Interruptible&) = delete;

private:
    const std::atomic<bool>* m_before;
};

/// "base.interrupted" if the flag is set. Cheap: checked before every system call that reads.
Result<void> goOnUnlessInterrupted();

} // namespace cannery
