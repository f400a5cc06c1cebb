// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <string>

namespace cannery::storage {

/// Opens a file to read it; whoever calls closes the descriptor. The one way in which a file that
/// a person or another file names is opened: only regular files, so that nobody waits for the
/// other end of a pipe and no device is read without end, and what standard input is, where
/// `/dev/stdin` asks for that. "io.not_a_file" for anything else, "io.system" when it cannot be
/// opened.
Result<int> openToRead(const std::string& path);

/// What openToRead() demands, of a descriptor that was opened with O_NONBLOCK in another way.
Result<void> checkIsFile(int descriptor, const std::string& path);

} // namespace cannery::storage
