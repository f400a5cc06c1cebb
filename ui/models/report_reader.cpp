// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/report_reader.h"

#include "core/reports/report_json.h"

#include <QJsonDocument>
#include <QJsonObject>

namespace cannery::ui {

void readAnswer(const QJsonObject& answer, google::protobuf::Message& report)
{
    const QByteArray json = QJsonDocument(answer).toJson(QJsonDocument::Compact);
    reports::readReport({json.constData(), static_cast<std::size_t>(json.size())}, report);
}

} // namespace cannery::ui
