// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QString>
#include <QStringList>

#include <string>

class QJsonObject;

namespace google::protobuf {
class Message;
} // namespace google::protobuf

namespace cannery::ui {

/// An answer of a command into its message of core/reports; see readReport() there.
void readAnswer(const QJsonObject& answer, google::protobuf::Message& report);

/// The texts of a list in a report.
template <typename Texts>
QStringList textsOf(const Texts& texts)
{
    QStringList list;
    for (const std::string& text : texts) {
        list << QString::fromStdString(text);
    }
    return list;
}

} // namespace cannery::ui
