// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <string>

namespace cannery::storage {

/// Opens a file for reading; the caller closes the descriptor. The only way to open a file whose
/// name comes from the user or from another file: only regular files, so that nothing blocks on a
/// pipe or reads a device endlessly, and standard input if `/dev/stdin` is requested.
/// "io.not_a_file" for anything else, "io.system" if it cannot be opened.
Result<int> openToRead(const std::string& path);

/// The same checks for a descriptor that was opened with O_NONBLOCK in another way.
Result<void> checkIsFile(int descriptor, const std::string& path);

} // namespace cannery::storage
