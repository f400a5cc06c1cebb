// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace cannery::tests {

/// Reads every tensor and the object graph, and checks that results match the declared types and
/// shapes.
void readWholeCheckpoint(const std::string& prefix);

} // namespace cannery::tests
