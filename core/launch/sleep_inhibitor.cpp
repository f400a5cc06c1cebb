// SPDX-License-Identifier: Apache-2.0
#include "core/launch/sleep_inhibitor.h"

#include <sys/stat.h>

namespace cannery::launch {

bool hasSystemd()
{
    struct stat facts
    {};
    return stat("/run/systemd/system", &facts) == 0 && S_ISDIR(facts.st_mode);
}

SleepInhibitor::SleepInhibitor(const std::string& why)
{
    if (!hasSystemd()) {
        return;
    }
    // systemd-inhibit holds its lock while its command runs: one that waits for us to end.
    auto process = Process::start({.program = "systemd-inhibit",
                                   .words = {"systemd-inhibit", "--what=sleep", "--who=Cannery",
                                             "--mode=block", "--why=" + why, "cat"},
                                   .input = {.kind = ProcessStream::Kind::Pipe},
                                   .output = {.kind = ProcessStream::Kind::Null},
                                   .diagnostics = {.kind = ProcessStream::Kind::Null}});
    if (process) { // it is installed
        m_process = std::move(*process);
    }
}

SleepInhibitor::~SleepInhibitor()
{
    if (m_process) {
        m_process->closeInput();
        m_process->wait(); // a kill would leave its command behind
    }
}

} // namespace cannery::launch
