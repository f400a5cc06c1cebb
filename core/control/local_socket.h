// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <sys/types.h>

namespace cannery::control {

/// True if a process listens at a socket's path.
bool isListening(const std::string& path);

/// Identity of what is at a path, to distinguish it from a later replacement.
struct FileIdentity
{
    dev_t device = 0;
    ino_t number = 0;

    bool operator==(const FileIdentity&) const = default;
};
FileIdentity identityOf(const std::string& path);

/// Silences the library's messages on standard error; GRPC_VERBOSITY restores them.
void silenceLibrary();

} // namespace cannery::control
