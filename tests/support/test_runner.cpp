// SPDX-License-Identifier: Apache-2.0
#include "tests/support/test_runner.h"

#include "tests/support/thread_checks.h"

#include <QTest>

#include <algorithm>
#include <cstring>
#include <string>

namespace cannery::tests {

int runClasses(int argc, char** argv, const std::vector<TestClass>& classes)
{
    const auto named = std::find_if(classes.begin(), classes.end(), [&](const TestClass& row) {
        return argc > 1 && std::strcmp(row.name, argv[1]) == 0;
    });
    std::vector<char*> arguments(argv, argv + argc);
    if (named != classes.end()) {
        arguments.erase(arguments.begin() + 1);
    }
    // Qt's handler may be entered again and again by what it prints; a crashed test ends.
    std::string noHandler = "-nocrashhandler";
    arguments.push_back(noHandler.data());
    int failures = 0;
    for (auto row = classes.begin(); row != classes.end(); ++row) {
        if (named != classes.end() && row != named) {
            continue;
        }
        const std::unique_ptr<QObject> test = row->make();
        failures += QTest::qExec(test.get(), static_cast<int>(arguments.size()), arguments.data());
        failures += ThreadFailures::countUnreported();
    }
    return std::min(failures, 127);
}

} // namespace cannery::tests
