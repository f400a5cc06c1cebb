// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"

namespace cannery::features {

inline constexpr ErrorKind kCannotEmit{"features.cannot_emit",
                                       "Feature '{}' cannot be exported: {}."};

} // namespace cannery::features
