// SPDX-License-Identifier: Apache-2.0
#include "core/launch/sleep_inhibitor.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace cannery::launch {

bool hasSystemd()
{
    struct stat facts
    {};
    return stat("/run/systemd/system", &facts) == 0 && S_ISDIR(facts.st_mode);
}

SleepInhibitor::SleepInhibitor(const std::string& why)
{
    std::array<int, 2> pipe{-1, -1};
    if (!hasSystemd() || pipe2(pipe.data(), O_CLOEXEC) != 0) {
        return;
    }
    m_pipe = pipe[1];
    std::string reason = "--why=" + why;
    // systemd-inhibit holds its lock while its command runs: one that waits for us to end.
    std::array<char*, 7> words{const_cast<char*>("systemd-inhibit"),
                               const_cast<char*>("--what=sleep"),
                               const_cast<char*>("--who=Cannery"),
                               const_cast<char*>("--mode=block"),
                               reason.data(),
                               const_cast<char*>("cat"),
                               nullptr};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pipe[0], STDIN_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (posix_spawnp(&m_process, words[0], &actions, nullptr, words.data(), environ) != 0) {
        m_process = -1; // not installed
    }
    posix_spawn_file_actions_destroy(&actions);
    close(pipe[0]);
}

SleepInhibitor::~SleepInhibitor()
{
    if (m_pipe >= 0) {
        close(m_pipe);
    }
    if (m_process > 0) {
        while (waitpid(m_process, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
}

} // namespace cannery::launch
