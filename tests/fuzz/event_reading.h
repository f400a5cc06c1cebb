// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace cannery::tests {

/// Reads an event file with the reader and with the scanner of scalars, and checks that both find
/// the same scalars, in pieces and at once, and end at the same place.
void readEventsBothWays(const std::string& path);

} // namespace cannery::tests
