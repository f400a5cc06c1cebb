// SPDX-License-Identifier: Apache-2.0
#include "tests/support/test_main.h"

#include "tests/support/test_runner.h"

#include <QCoreApplication>

namespace cannery::tests {

int runTests(int argc, char** argv, const std::vector<TestClass>& classes)
{
    // A crashed test ends; it does not wait for a debugger that looks at it.
    qputenv("QTEST_DISABLE_STACK_DUMP", "1");
    QCoreApplication application(argc, argv);
    return runClasses(argc, argv, classes);
}

} // namespace cannery::tests
