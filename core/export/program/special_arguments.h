// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/export/program/python_text.h"
#include "core/export/program/refused_fields.h"

#include <google/protobuf/message.h>

#include <string>

namespace cannery::exporting {

class MessageWriter;

/// A call that arguments are added to.
struct SpecialArguments
{
    PythonCall& call;
    const std::string& path; ///< of the message, for refusals
    const MessageWriter& writer;
    RefusedFields& refused;
};

/// Adds the arguments of a message that are not a field with its own name and value, such as the
/// function that a normalizer becomes. The schema marks these fields as left out. Most messages
/// have none.
void addSpecialArguments(const SpecialArguments& to, const google::protobuf::Message& message);

} // namespace cannery::exporting
