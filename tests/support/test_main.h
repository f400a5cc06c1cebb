// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>

#include <memory>
#include <vector>

namespace cannery::tests {

struct TestClass
{
    const char* name = nullptr;
    std::unique_ptr<QObject> (*make)() = nullptr;
};

/// Runs every class, or only the one whose name is the first argument (`tst_base TstShape -v2`).
/// Returns the number of failures, at most 127.
int runTests(int argc, char** argv, const std::vector<TestClass>& classes);

} // namespace cannery::tests

/// Makes a test class known to its program; see CanneryTest.cmake.
#define CANNERY_TEST(Class)                                                                        \
    std::unique_ptr<QObject> make##Class()                                                         \
    {                                                                                              \
        return std::make_unique<Class>();                                                          \
    }
