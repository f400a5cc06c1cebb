// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/test_main.h"

namespace cannery::tests {

/// The part of runTests() that every kind of application shares.
int runClasses(int argc, char** argv, const std::vector<TestClass>& classes);

} // namespace cannery::tests
