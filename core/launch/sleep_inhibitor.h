// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/process.h"

#include <optional>
#include <string>

namespace cannery::launch {

/// Keeps the machine from suspending automatically while it lives, if systemd runs the machine;
/// otherwise does nothing. Ends with the process, however that ends.
class SleepInhibitor
{
public:
    /// `why` is shown to users who list inhibitors.
    explicit SleepInhibitor(const std::string& why);
    ~SleepInhibitor();
    SleepInhibitor(const SleepInhibitor&) = delete;
    SleepInhibitor& operator=(const SleepInhibitor&) = delete;

private:
    std::optional<Process> m_process; ///< ends with its input
};

/// Whether systemd runs the machine.
bool hasSystemd();

} // namespace cannery::launch
