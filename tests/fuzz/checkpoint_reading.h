// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace cannery::tests {

/// Reads every tensor and the object graph, and requires that what is given fits what was stated.
void readWholeCheckpoint(const std::string& prefix);

} // namespace cannery::tests
