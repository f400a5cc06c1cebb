// SPDX-License-Identifier: Apache-2.0
#include "core/control/local_socket.h"

#include <grpc/support/log.h>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace cannery::control {

bool isListening(const std::string& path)
{
    sockaddr_un address{};
    if (path.size() >= sizeof(address.sun_path)) {
        return false;
    }
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    const int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor < 0) {
        return false;
    }
    const int connected =
        connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof(address));
    // A full backlog means there is a listener, only a slow one.
    const bool listening = connected == 0 || errno == EAGAIN;
    close(descriptor);
    return listening;
}

FileIdentity identityOf(const std::string& path)
{
    struct stat facts
    {};
    if (stat(path.c_str(), &facts) != 0) {
        return {};
    }
    return {.device = facts.st_dev, .number = facts.st_ino};
}

void silenceLibrary()
{
    if (std::getenv("GRPC_VERBOSITY") == nullptr) {
        gpr_set_log_function([](gpr_log_func_args*) {});
    }
}

} // namespace cannery::control
