// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <sys/types.h>

namespace cannery::app {

/// Keeps the machine from going to sleep by itself while it lives, where systemd runs the machine;
/// elsewhere it does nothing. It ends with the process, however that ends.
class SleepInhibitor
{
public:
    /// `why`: for a person who wonders why the machine does not sleep.
    explicit SleepInhibitor(const std::string& why);
    ~SleepInhibitor();
    SleepInhibitor(const SleepInhibitor&) = delete;
    SleepInhibitor& operator=(const SleepInhibitor&) = delete;

private:
    pid_t m_process = -1;
    int m_pipe = -1; ///< its end lets the inhibiting process end
};

/// True where systemd runs the machine.
bool hasSystemd();

} // namespace cannery::app
