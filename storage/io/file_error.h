// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"

#include <string_view>

namespace cannery::storage {

inline constexpr ErrorKind kFileError{"io.system", "Cannot {} {}: {}.{}"};
inline constexpr ErrorKind kFileTooLarge{"io.too_large",
                                         "The file {} has {} bytes, more than the limit of {}."};

/// The error of a failed operation (`action`: "open", "write to") on a file (`systemError` is
/// errno): name, reason, and the cure if there is one, with TensorFlow's code.
Error fileError(std::string_view action, std::string_view path, int systemError);

} // namespace cannery::storage
