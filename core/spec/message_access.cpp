// SPDX-License-Identifier: Apache-2.0
#include "core/spec/message_access.h"

#include "core/base/catalog.h"
#include "core/spec/tensorflow_only_fields.h"

namespace cannery::spec {

namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

constexpr ErrorKind kUnknownField{"spec.unknown_field", "{0} has no field '{1}'.{2}"};
constexpr ErrorKind kTensorFlowOnly{"spec.tensorflow_only_field",
                                    "{0} has no field '{1}', unlike TensorFlow. {2}"};

const FieldDescriptor* nameField(const Descriptor& message)
{
    const FieldDescriptor* field = message.FindFieldByName("name");
    const bool usable = field != nullptr && !field->is_repeated() &&
                        field->cpp_type() == FieldDescriptor::CPPTYPE_STRING;
    return usable ? field : nullptr;
}

/// "batch_size" in train_spec belongs in its `input`.
std::string hint(const Descriptor& message, std::string_view name)
{
    // The nearest name comes first: a misspelled field is more likely than a misplaced one.
    const std::string nearest = nearestName(name, fieldNames(message));
    for (int i = 0; i < message.field_count() && nearest.empty(); ++i) {
        const FieldDescriptor& field = *message.field(i);
        if (isMessage(field) &&
            field.message_type()->FindFieldByName(std::string(name)) != nullptr) {
            return fmt::format(" It belongs into '{0}': write {0} {{ {1} … }}.", field.name(),
                               name);
        }
    }
    return suggestion(name, fieldNames(message));
}

} // namespace

const FieldDescriptor* memberField(const Message& message)
{
    // Faster than by name: this is asked for every column, many times.
    const Descriptor& descriptor = *message.GetDescriptor();
    for (int i = 0; i < descriptor.real_oneof_decl_count(); ++i) {
        const auto* oneof = descriptor.oneof_decl(i);
        if (oneof->name() == "kind") {
            return message.GetReflection()->GetOneofFieldDescriptor(message, oneof);
        }
    }
    return nullptr;
}

const Message* memberOf(const Message& message)
{
    const FieldDescriptor* field = memberField(message);
    return field == nullptr || !isMessage(*field)
               ? nullptr
               : &message.GetReflection()->GetMessage(message, field);
}

std::vector<std::string> textsIn(const Message& message, std::string_view field)
{
    const FieldDescriptor* found = message.GetDescriptor()->FindFieldByName(std::string(field));
    std::vector<std::string> texts;
    const int count = found == nullptr ? 0 : message.GetReflection()->FieldSize(message, found);
    for (int i = 0; i < count; ++i) {
        texts.push_back(message.GetReflection()->GetRepeatedString(message, found, i));
    }
    return texts;
}

// The reference that protobuf recommends instead cannot reserve space.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
void makeRoom(Message& message, const FieldDescriptor& field)
{
    const google::protobuf::Reflection& reflection = *message.GetReflection();
    if (isMessage(field)) {
        // Reserved beforehand: a list that runs out of memory while it grows leaves protobuf's
        // message broken.
        auto& list = *reflection.MutableRepeatedPtrField<Message>(&message, &field);
        list.Reserve(list.size() + 1);
    } else if (field.cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
        auto& list = *reflection.MutableRepeatedPtrField<std::string>(&message, &field);
        list.Reserve(list.size() + 1);
    }
}
#pragma GCC diagnostic pop

bool hasName(const Descriptor& message)
{
    return nameField(message) != nullptr;
}

std::string elementName(const Message& parent, const FieldDescriptor& field, int index)
{
    const FieldDescriptor* name = isMessage(field) ? nameField(*field.message_type()) : nullptr;
    if (name == nullptr) {
        return {};
    }
    const Message& element = parent.GetReflection()->GetRepeatedMessage(parent, &field, index);
    return element.GetReflection()->GetString(element, name);
}

std::vector<std::string> fieldNames(const Descriptor& message)
{
    std::vector<std::string> names;
    for (int i = 0; i < message.field_count(); ++i) {
        names.push_back(message.field(i)->name());
    }
    return names;
}

Result<const FieldDescriptor*> findField(const Descriptor& message, std::string_view name,
                                         const SpecPath& path)
{
    const FieldDescriptor* field = message.FindFieldByName(std::string(name));
    if (field == nullptr) {
        const std::string owner =
            path.steps.empty() ? "An experiment" : fmt::format("'{}'", path.steps.back().field);
        // A field that TensorFlow has gets the sentence where its setting is here.
        if (const auto sentence = tensorflowOnlyField(message, name)) {
            return tl::make_unexpected(
                error(ErrorCode::Unimplemented, kTensorFlowOnly, owner, name, *sentence)
                    .at(path.child(name).toString()));
        }
        return tl::make_unexpected(
            error(ErrorCode::InvalidArgument, kUnknownField, owner, name, hint(message, name))
                .at(path.child(name).toString()));
    }
    return field;
}

} // namespace cannery::spec
