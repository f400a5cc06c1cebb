// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace cannery {

inline constexpr double kBytesPerMegabyte = 1e6;

/// "1.5 GB", "12 bytes": for messages. Units are powers of 1,000; a negative number counts as 0.
std::string byteText(double bytes);

} // namespace cannery
