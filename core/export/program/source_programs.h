// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/export/program/refused_fields.h"

#include <google/protobuf/message.h>

#include <string>
#include <string_view>

namespace cannery::exporting {

/// How a program reads one kind of data source. Functions take the source's own message.
struct SourceProgram
{
    std::string_view message; ///< "CsvSource"
    std::string_view imports; ///< Python modules that the functions need, with spaces between them
    /// The Python function read(), which returns rows as dictionaries of texts.
    std::string (*readFunction)(const google::protobuf::Message& source);
    /// The call of it that reads this source.
    std::string (*readCall)(const google::protobuf::Message& source);
    /// The Python function that reads a number, with its definition if it is not Python's own.
    std::string (*numberReader)(const google::protobuf::Message& source);
    std::string (*numberReaderDefinition)(const google::protobuf::Message& source);
    /// Names what a program cannot read as the source at `path` says; nothing if null.
    void (*refuse)(const google::protobuf::Message& source, const std::string& path,
                   RefusedFields& refused) = nullptr;
};

/// nullptr if no program reads such a source.
const SourceProgram* sourceProgram(const google::protobuf::Message& source);

} // namespace cannery::exporting
