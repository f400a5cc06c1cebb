// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>

namespace cannery::storage {

/// A lock on a whole file for fcntl()'s open-file-description locks: they belong to the descriptor,
/// not to the process (two locks within one process conflict too), and can be queried without being
/// acquired.
inline struct flock wholeFile()
{
    struct flock lock
    {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    return lock;
}

} // namespace cannery::storage
