// SPDX-License-Identifier: Apache-2.0
#include "tests/core/spec/experiment_error_cases.h"

#include <QTest>

namespace cannery::tests {

QSet<QString>& caseNames()
{
    static QSet<QString> names;
    return names;
}

void addCase(const char* name, const std::string& text, const std::string& expected)
{
    caseNames() += name;
    QTest::newRow(name) << QString::fromStdString(text) << QString::fromStdString(expected);
}

void addColumn(const char* name, const std::string& line, const std::string& expected)
{
    addCase(name, kBase + line + "\n" + kLinear, expected);
}

void addEstimator(const char* name, const std::string& line, const std::string& expected)
{
    addCase(name, kBase + line + "\n", expected);
}

void addRest(const char* name, const std::string& lines, const std::string& expected)
{
    addCase(name, kBase + kLinear + lines + "\n", expected);
}

} // namespace cannery::tests
