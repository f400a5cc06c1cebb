// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace cannery::tests {

/// Reads an event file by the reader and by the scanner of scalars, and requires that both see the
/// same ones, in pieces and at once, and end at the same place.
void readEventsBothWays(const std::string& path);

} // namespace cannery::tests
