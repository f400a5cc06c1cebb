#pragma once

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <google/protobuf/util/json_util.h>

#include <cmath>
#include <string>
#include <vector>

namespace cannery::tests {

/// tests/golden/tables/<name>.json; empty when it cannot be read.
inline QJsonObject goldenTable(const QString& name)
{
    QFile file(QStringLiteral(CANNERY_SOURCE_DIR "/tests/golden/tables/") + name + ".json");
    if (!file.open(QIODevice::ReadOnly)) {
        return {};
    }
    return QJsonDocument::fromJson(file.readAll()).object();
}

/// Every number within nested arrays, in order.
inline void appendNumbers(const QJsonValue& value, std::vector<float>& numbers)
{
    if (value.isArray()) {
        for (const QJsonValue element : value.toArray()) {
            appendNumbers(element, numbers);
        }
    } else {
        numbers.push_back(static_cast<float>(value.toDouble()));
    }
}

inline std::vector<float> numbersOf(const QJsonValue& value)
{
    std::vector<float> numbers;
    appendNumbers(value, numbers);
    return numbers;
}

/// Fills a protobuf message with the fields of a JSON object.
template <typename Message>
bool fillMessage(const QJsonObject& fields, Message& message)
{
    const QByteArray text = QJsonDocument(fields).toJson(QJsonDocument::Compact);
    return google::protobuf::util::JsonStringToMessage(text.toStdString(), &message).ok();
}

inline bool isNear(double actual, double expected, double relative, double absolute)
{
    return std::abs(actual - expected) <= absolute + relative * std::abs(expected);
}

} // namespace cannery::tests

/// Fails with both numbers when they are further apart than the tolerance.
#define VERIFY_NEAR(actual, expected, relative, absolute)                                          \
    do {                                                                                           \
        const double verifyNearActual = (actual);                                                  \
        const double verifyNearExpected = (expected);                                              \
        QVERIFY2(cannery::tests::isNear(verifyNearActual, verifyNearExpected, relative, absolute), \
                 qPrintable(QString("%1 is not %2")                                                \
                                .arg(verifyNearActual, 0, 'g', 9)                                  \
                                .arg(verifyNearExpected, 0, 'g', 9)));                             \
    } while (false)
