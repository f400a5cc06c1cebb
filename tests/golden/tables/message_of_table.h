// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/golden/tables/golden_table.h"

#include <google/protobuf/util/json_util.h>

namespace cannery::tests {

/// Fills a protobuf message with the fields of a JSON object of a table.
template <typename Message>
bool fillMessage(const QJsonObject& fields, Message& message)
{
    const QByteArray text = QJsonDocument(fields).toJson(QJsonDocument::Compact);
    return google::protobuf::util::JsonStringToMessage(text.toStdString(), &message).ok();
}

} // namespace cannery::tests
