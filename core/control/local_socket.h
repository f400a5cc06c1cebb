// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <sys/types.h>

namespace cannery::control {

/// True when somebody listens at a socket's path.
bool isListening(const std::string& path);

/// What stands at a path, so that it can be told from what takes its place later.
struct FileIdentity
{
    dev_t device = 0;
    ino_t number = 0;

    bool operator==(const FileIdentity&) const = default;
};
FileIdentity identityOf(const std::string& path);

/// The library's own words on standard error help nobody; GRPC_VERBOSITY brings them back.
void silenceLibrary();

} // namespace cannery::control
