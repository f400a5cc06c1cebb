// SPDX-License-Identifier: Apache-2.0
#include "core/export/program/message_writer.h"

#include "core/export/program/enum_texts.h"
#include "core/export/program/special_arguments.h"
#include "core/export/program/tensorflow_object.h"
#include "core/spec/message_access.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

namespace cannery::exporting {

namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

bool isSet(const Message& message, const FieldDescriptor& field)
{
    return field.is_repeated() ? message.GetReflection()->FieldSize(message, &field) > 0
                               : message.GetReflection()->HasField(message, &field);
}

/// The value that a reader of the program would get by leaving the argument out.
bool isDefault(const Message& message, const FieldDescriptor& field)
{
    if (field.is_repeated() || spec::isMessage(field) || !field.has_default_value()) {
        return false;
    }
    const google::protobuf::Reflection& values = *message.GetReflection();
    switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT64:
        return values.GetInt64(message, &field) == field.default_value_int64();
    case FieldDescriptor::CPPTYPE_DOUBLE:
        return values.GetDouble(message, &field) == field.default_value_double();
    case FieldDescriptor::CPPTYPE_BOOL:
        return values.GetBool(message, &field) == field.default_value_bool();
    case FieldDescriptor::CPPTYPE_STRING:
        return values.GetString(message, &field) == field.default_value_string();
    case FieldDescriptor::CPPTYPE_ENUM:
        return values.GetEnum(message, &field) == field.default_value_enum();
    default:
        return false;
    }
}

bool isZero(const Message& message, const FieldDescriptor& field)
{
    const google::protobuf::Reflection& values = *message.GetReflection();
    return field.cpp_type() == FieldDescriptor::CPPTYPE_INT64
               ? values.GetInt64(message, &field) == 0
               : field.cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE &&
                     values.GetDouble(message, &field) == 0;
}

} // namespace

MessageWriter::MessageWriter(const spec::Experiment& experiment, RefusedFields& refused)
    : m_experiment(experiment), m_refused(refused)
{
    std::set<std::string> taken;
    for (const spec::FeatureColumn& column : experiment.feature_column()) {
        // With a suffix, so that a column called "read" or "np" hides nothing of the program.
        const std::string wanted = pythonIdentifier(column.name() + "_column");
        std::string free = wanted;
        for (int number = 2; !taken.insert(free).second; ++number) {
            free = fmt::format("{}_{}", wanted, number);
        }
        m_variables[column.name()] = free;
        const Message* member = spec::memberOf(column);
        const spec::TensorFlowObject* object =
            member == nullptr ? nullptr : tensorflowObject(*member->GetDescriptor());
        m_isList[column.name()] = object != nullptr && object->makes_list();
    }
}

const std::string& MessageWriter::variable(const std::string& column) const
{
    return m_variables.at(column);
}

std::string MessageWriter::fileText(const std::string& path)
{
    return fmt::format("path_of({})", pythonText(path));
}

/// Shared embeddings are a list of columns, which is spread with a star.
std::string MessageWriter::columnText(const std::string& column) const
{
    return (m_isList.at(column) ? "*" : "") + variable(column);
}

std::string MessageWriter::text(const Message& message, const std::string& path) const
{
    return call(message, path).text();
}

PythonCall MessageWriter::call(const Message& message, const std::string& path) const
{
    const spec::TensorFlowObject* object = tensorflowObject(*message.GetDescriptor());
    if (object == nullptr) {
        // Reported, and written as None: the program is refused as a whole later.
        m_refused.add(path, "tf.estimator has nothing like it");
    }
    PythonCall made{object == nullptr ? "None" : object->callable()};
    addFields(made, message, path);
    addSpecialArguments({made, path, *this, m_refused}, message);
    return made;
}

void MessageWriter::addFields(PythonCall& call, const Message& message,
                              const std::string& path) const
{
    const google::protobuf::Descriptor& type = *message.GetDescriptor();
    for (int i = 0; i < type.field_count(); ++i) {
        const FieldDescriptor& field = *type.field(i);
        const spec::TensorFlowArgument& argument = tensorflowArgument(field);
        // An argument at its default is left out, unless TensorFlow's own default differs from the
        // schema's.
        if (argument.left_out() || !isSet(message, field) ||
            (isDefault(message, field) && !argument.always())) {
            continue;
        }
        const std::string fieldPath = fmt::format("{}.{}", path, field.name());
        if (argument.has_refused()) {
            m_refused.add(fieldPath, argument.refused());
            continue;
        }
        // The schema says 0 where TensorFlow says None.
        const bool isNone = spec::infoOf(field).zero_means_none() && isZero(message, field);
        call.add(argument.has_name() ? argument.name() : field.name(),
                 isNone ? "None" : fieldText(message, field, fieldPath));
    }
}

std::string MessageWriter::fieldText(const Message& message, const FieldDescriptor& field,
                                     const std::string& path) const
{
    if (!field.is_repeated()) {
        return elementText(message, field, -1, path);
    }
    std::vector<std::string> elements;
    for (int i = 0; i < message.GetReflection()->FieldSize(message, &field); ++i) {
        elements.push_back(elementText(message, field, i, fmt::format("{}[{}]", path, i)));
    }
    return pythonList(elements);
}

std::string MessageWriter::elementText(const Message& message, const FieldDescriptor& field,
                                       int index, const std::string& path) const
{
    const google::protobuf::Reflection& values = *message.GetReflection();
    const bool isElement = index >= 0;
    switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT64:
        return fmt::format("{}", isElement ? values.GetRepeatedInt64(message, &field, index)
                                           : values.GetInt64(message, &field));
    case FieldDescriptor::CPPTYPE_UINT64:
        return fmt::format("{}", values.GetUInt64(message, &field));
    case FieldDescriptor::CPPTYPE_DOUBLE:
        return pythonNumber(isElement ? values.GetRepeatedDouble(message, &field, index)
                                      : values.GetDouble(message, &field));
    case FieldDescriptor::CPPTYPE_BOOL:
        return pythonBool(values.GetBool(message, &field));
    case FieldDescriptor::CPPTYPE_ENUM: {
        const auto* value = values.GetEnum(message, &field);
        return enumText(value->type()->containing_type()->name(), value->name());
    }
    case FieldDescriptor::CPPTYPE_STRING: {
        const std::string text = isElement ? values.GetRepeatedString(message, &field, index)
                                           : values.GetString(message, &field);
        const spec::FieldInfo& info = spec::infoOf(field);
        if (info.names() == spec::FieldInfo::FEATURE_COLUMN) {
            return columnText(text);
        }
        return info.names() == spec::FieldInfo::FILE ? fileText(text) : pythonText(text);
    }
    default:
        return valueText(isElement ? values.GetRepeatedMessage(message, &field, index)
                                   : values.GetMessage(message, &field),
                         path);
    }
}

std::string MessageWriter::valueText(const Message& message, const std::string& path) const
{
    if (const auto* input = dynamic_cast<const spec::InputReference*>(&message)) {
        return input->has_column() ? columnText(input->column()) : pythonText(input->feature());
    }
    if (const auto* optimizer = dynamic_cast<const spec::Optimizer*>(&message)) {
        return optimizerText(*optimizer, path);
    }
    if (const auto* clusters = dynamic_cast<const spec::InitialClusters*>(&message)) {
        if (!clusters->has_given()) {
            return pythonText(clusters->has_kmeans_plus_plus() ? "kmeans_plus_plus" : "random");
        }
        std::vector<std::string> numbers;
        for (const double value : clusters->given().value()) {
            numbers.push_back(pythonNumber(value));
        }
        // Row-major: one row for each center.
        return fmt::format("np.array({}, np.float32).reshape({}, -1)", pythonList(numbers),
                           m_experiment.estimator().kmeans().num_clusters());
    }
    if (const Message* member = spec::memberOf(message)) {
        return text(*member, fmt::format("{}.{}", path, spec::memberField(message)->name()));
    }
    return text(message, path);
}

std::string MessageWriter::optimizerText(const spec::Optimizer& optimizer,
                                         const std::string& path) const
{
    const Message* member = spec::memberOf(optimizer);
    if (member == nullptr) {
        m_refused.add(path, "it names no optimizer");
        return "None";
    }
    const std::string memberPath = fmt::format("{}.{}", path, spec::memberField(optimizer)->name());
    if (optimizer.has_moving_average_decay()) {
        m_refused.add(path + ".moving_average_decay", "tf.estimator evaluates the weights only");
    }
    if (optimizer.rules() == spec::OptimizerRules::keras) {
        m_refused.add(path + ".rules", "tf.estimator takes the optimizers of "
                                       "tf.keras.optimizers.legacy only");
    }
    // A schedule takes the place of the rate, which a copy of the message therefore leaves out.
    spec::Optimizer scheduled = optimizer;
    if (optimizer.has_learning_rate_schedule()) {
        Message& own =
            *scheduled.GetReflection()->MutableMessage(&scheduled, spec::memberField(scheduled));
        own.GetReflection()->ClearField(&own,
                                        own.GetDescriptor()->FindFieldByName("learning_rate"));
    }
    PythonCall made = call(*spec::memberOf(scheduled), memberPath);
    if (optimizer.has_learning_rate_schedule()) {
        made.add("learning_rate", scheduleText(optimizer.learning_rate_schedule(),
                                               path + ".learning_rate_schedule"));
    }
    if (optimizer.has_clipnorm()) {
        made.add("clipnorm", pythonNumber(optimizer.clipnorm()));
    }
    if (optimizer.has_clipvalue()) {
        made.add("clipvalue", pythonNumber(optimizer.clipvalue()));
    }
    if (optimizer.has_global_clipnorm()) {
        made.add("global_clipnorm", pythonNumber(optimizer.global_clipnorm()));
    }
    if (optimizer.decay() != 0) {
        made.add("decay", pythonNumber(optimizer.decay()));
    }
    // An optimizer is made again in each graph, hence a lambda; a Keras object is not tied to one.
    const spec::TensorFlowObject* object = tensorflowObject(*member->GetDescriptor());
    return object != nullptr && object->is_object() ? made.text() : "lambda: " + made.text();
}

std::string MessageWriter::scheduleText(const spec::Schedule& schedule,
                                        const std::string& path) const
{
    if (schedule.warmup_steps() > 0) {
        m_refused.add(path + ".warmup_steps",
                      "TensorFlow's schedules of Estimators do not warm up");
    }
    if (schedule.has_constant()) {
        return pythonNumber(schedule.constant().learning_rate());
    }
    const Message* member = spec::memberOf(schedule);
    if (member == nullptr) {
        return "None";
    }
    PythonCall made =
        call(*member, fmt::format("{}.{}", path, spec::memberField(schedule)->name()));
    // piecewise_constant calls its first argument x.
    made.add(schedule.has_piecewise_constant() ? "x" : "global_step",
             "tf.compat.v1.train.get_global_step()");
    return made.text();
}

} // namespace cannery::exporting
