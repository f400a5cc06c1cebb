// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/export/program/python_text.h"
#include "core/export/program/refused_fields.h"
#include "core/spec/experiment.pb.h"

#include <google/protobuf/message.h>

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace cannery::exporting {

/// Writes messages of a resolved experiment as the TensorFlow objects that they are named after:
/// the schema's options (tensorflow) and (argument) name the class or function and its arguments;
/// arguments at their defaults are left out. What TensorFlow has no counterpart of is added to
/// `refused`.
class MessageWriter
{
public:
    MessageWriter(const spec::Experiment& experiment, RefusedFields& refused);

    /// The call that makes the message's object. `path`: of the message, for refusals.
    std::string text(const google::protobuf::Message& message, const std::string& path) const;
    /// The same, for more arguments to be added.
    PythonCall call(const google::protobuf::Message& message, const std::string& path) const;

    /// A message as the value of an argument: the member of a family, a reference by its name.
    std::string valueText(const google::protobuf::Message& message, const std::string& path) const;

    /// The Python variable that holds a feature column.
    const std::string& variable(const std::string& column) const;
    /// Whether a feature column of ours is several of TensorFlow's.
    bool isSeveral(const std::string& column) const { return m_isList.at(column); }
    /// The column as an element of a list; shared embeddings are several.
    std::string columnText(const std::string& column) const;
    /// Text of a path in the experiment: relative to the program's folder.
    static std::string fileText(const std::string& path);

private:
    void addFields(PythonCall& call, const google::protobuf::Message& message,
                   const std::string& path) const;
    std::string fieldText(const google::protobuf::Message& message,
                          const google::protobuf::FieldDescriptor& field,
                          const std::string& path) const;
    std::string elementText(const google::protobuf::Message& message,
                            const google::protobuf::FieldDescriptor& field, int index,
                            const std::string& path) const;
    std::string optimizerText(const spec::Optimizer& optimizer, const std::string& path) const;
    std::string scheduleText(const spec::Schedule& schedule, const std::string& path) const;

    const spec::Experiment& m_experiment;
    RefusedFields& m_refused;
    std::unordered_map<std::string, std::string> m_variables; ///< by the column's name
    std::unordered_map<std::string, bool> m_isList;           ///< shared embeddings are several
};

} // namespace cannery::exporting
