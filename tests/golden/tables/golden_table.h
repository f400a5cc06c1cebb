// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <cmath>
#include <limits>
#include <vector>

namespace cannery::tests {

/// Where the tables are: tests/golden/tables, or the folder given by CANNERY_GOLDEN_TABLES. Any of
/// the oracle's tables work; no test depends on their sizes.
inline QString goldenTablesFolder()
{
    return qEnvironmentVariable("CANNERY_GOLDEN_TABLES",
                                QStringLiteral(CANNERY_SOURCE_DIR "/tests/golden/tables"));
}

/// <name>.json of that folder. Aborts the program if a table cannot be read.
inline QJsonObject goldenTable(const QString& name)
{
    QFile file(goldenTablesFolder() + "/" + name + ".json");
    const bool isOpen = file.open(QIODevice::ReadOnly);
    const QJsonObject table = QJsonDocument::fromJson(file.readAll()).object();
    if (!isOpen || table.isEmpty()) {
        qFatal("%s cannot be read", qPrintable(file.fileName()));
    }
    return table;
}

/// A number of a table; "NaN", "Infinity" and "-Infinity" are stored as texts.
inline double numberOf(const QJsonValue& value)
{
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const QString text = value.toString();
    return text == "NaN"         ? std::numeric_limits<double>::quiet_NaN()
           : text == "Infinity"  ? kInfinity
           : text == "-Infinity" ? -kInfinity
                                 : value.toDouble();
}

/// Every number within nested arrays, in order.
inline void appendNumbers(const QJsonValue& value, std::vector<float>& numbers)
{
    if (value.isArray()) {
        for (const QJsonValue element : value.toArray()) {
            appendNumbers(element, numbers);
        }
    } else {
        numbers.push_back(static_cast<float>(numberOf(value)));
    }
}

inline std::vector<float> numbersOf(const QJsonValue& value)
{
    std::vector<float> numbers;
    appendNumbers(value, numbers);
    return numbers;
}

/// NaN is close only to NaN, an infinity only to itself.
inline bool isNear(double actual, double expected, double relative, double absolute)
{
    if (!std::isfinite(expected)) {
        return std::isnan(expected) ? std::isnan(actual) : actual == expected;
    }
    return std::abs(actual - expected) <= absolute + relative * std::abs(expected);
}

} // namespace cannery::tests

/// Fails with both numbers if they differ by more than the tolerance.
#define VERIFY_NEAR(actual, expected, relative, absolute)                                          \
    do {                                                                                           \
        const double verifyNearActual = (actual);                                                  \
        const double verifyNearExpected = (expected);                                              \
        QVERIFY2(cannery::tests::isNear(verifyNearActual, verifyNearExpected, relative, absolute), \
                 qPrintable(QString("%1 is not %2")                                                \
                                .arg(verifyNearActual, 0, 'g', 9)                                  \
                                .arg(verifyNearExpected, 0, 'g', 9)));                             \
    } while (false)
