// SPDX-License-Identifier: Apache-2.0
#include "core/spec/canned_head.h"

#include "core/base/check.h"
#include "core/spec/estimators.pb.h"
#include "core/spec/message_access.h"

namespace cannery::spec {

namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

/// Copies a value, or the default if there is none.
void copyArgument(const Message& from, const FieldDescriptor& argument, Message& head,
                  const FieldDescriptor& field)
{
    const Reflection& source = *from.GetReflection();
    const Reflection& target = *head.GetReflection();
    // Only the types that arguments of heads have; another one is a mistake in the schema.
    switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT64:
        return target.SetInt64(&head, &field, source.GetInt64(from, &argument));
    case FieldDescriptor::CPPTYPE_ENUM:
        return target.SetEnum(&head, &field, source.GetEnum(from, &argument));
    case FieldDescriptor::CPPTYPE_MESSAGE:
        if (source.HasField(from, &argument)) {
            target.MutableMessage(&head, &field)->CopyFrom(source.GetMessage(from, &argument));
        }
        return;
    default:
        CANNERY_CHECK(false && "heads take integers, choices, messages and lists of texts");
    }
}

/// The arguments that an estimator shares with its head are passed to the head.
void copyArguments(const Message& estimator, Message& head)
{
    for (int i = 0; i < head.GetDescriptor()->field_count(); ++i) {
        const FieldDescriptor& field = *head.GetDescriptor()->field(i);
        const auto* argument = estimator.GetDescriptor()->FindFieldByName(field.name());
        // The head keeps its default for what the estimator has no argument for.
        if (argument == nullptr) {
            continue;
        }
        if (!field.is_repeated()) {
            copyArgument(estimator, *argument, head, field);
            continue;
        }
        for (const std::string& text : textsIn(estimator, field.name())) {
            head.GetReflection()->AddString(&head, &field, text);
        }
    }
}

} // namespace

bool readsLabels(const Estimator& estimator)
{
    const Message* member = memberOf(estimator);
    if (member == nullptr) {
        return true;
    }
    const Descriptor& arguments = *member->GetDescriptor();
    // Found by the arguments of the schema, so that a new estimator needs no line here.
    return arguments.FindFieldByName("head") != nullptr ||
           arguments.FindFieldByName("n_classes") != nullptr ||
           arguments.FindFieldByName("label_dimension") != nullptr;
}

bool hasOptimizer(const Estimator& estimator)
{
    const Message* member = memberOf(estimator);
    // Without an estimator nothing is known, so no training setting is refused for lack of it.
    bool isTrained = member == nullptr;
    for (int i = 0; member != nullptr && i < member->GetDescriptor()->field_count(); ++i) {
        isTrained = isTrained ||
                    member->GetDescriptor()->field(i)->message_type() == Optimizer::descriptor();
    }
    return isTrained;
}

bool predictsEveryStep(const Estimator& estimator)
{
    const Message* member = memberOf(estimator);
    const FieldDescriptor* field =
        member == nullptr ? nullptr : member->GetDescriptor()->FindFieldByName("return_sequences");
    return field != nullptr && member->GetReflection()->GetBool(*member, field);
}

std::string sequenceMaskOf(const Estimator& estimator)
{
    const Message* member = memberOf(estimator);
    const FieldDescriptor* field =
        member == nullptr ? nullptr : member->GetDescriptor()->FindFieldByName("sequence_mask");
    return field == nullptr ? std::string() : member->GetReflection()->GetString(*member, field);
}

Head headOf(const Estimator& estimator)
{
    Head head;
    const Message* member = memberOf(estimator);
    if (member == nullptr) {
        return head;
    }
    const Reflection& reflection = *member->GetReflection();
    const Descriptor& arguments = *member->GetDescriptor();
    if (const FieldDescriptor* own = arguments.FindFieldByName("head")) {
        head.CopyFrom(reflection.GetMessage(*member, own));
    } else if (const FieldDescriptor* classes = arguments.FindFieldByName("n_classes")) {
        // TensorFlow's classifiers choose the binary head for two classes.
        const bool isBinary = reflection.GetInt64(*member, classes) <= 2;
        copyArguments(*member, isBinary ? static_cast<Message&>(*head.mutable_binary_class_head())
                                        : *head.mutable_multi_class_head());
    } else if (arguments.FindFieldByName("label_dimension") != nullptr) {
        copyArguments(*member, *head.mutable_regression_head());
    }
    return head;
}

} // namespace cannery::spec
