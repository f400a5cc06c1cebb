// SPDX-License-Identifier: Apache-2.0
#include "core/spec/text/spec_override.h"

#include "core/spec/checks/annotation_checks.h"
#include "core/spec/experiment.pb.h"
#include "core/spec/message_access.h"
#include "core/spec/text/scalar_text.h"
#include "core/spec/text/text_escapes.h"
#include "core/spec/text/text_reader.h"
#include "core/spec/text/text_to_message.h"

#include <algorithm>
#include <memory>

namespace cannery::spec {

namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr ErrorKind kOverrideSyntax{
    "spec.override_syntax",
    "'{0}' is not an override: write PATH=VALUE, as in run_config.tf_random_seed=3."};
constexpr ErrorKind kOverrideValue{"spec.value_syntax", "'{0}' is not a value of '{1}': {2}"};
constexpr ErrorKind kOtherMemberChosen{
    "spec.other_member",
    "'{0}' cannot be set while '{1}' is: set {2} as a whole to switch, as in {2}={{ … }}."};

std::string trimmed(std::string_view text)
{
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos) {
        return {};
    }
    return std::string(text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1));
}

bool startsWithOneOf(const std::string& text, std::string_view symbols)
{
    return !text.empty() && symbols.find(text.front()) != std::string_view::npos;
}

/// `[a, b]` of unquoted texts.
std::string quotedList(const std::string& value)
{
    // A list without its bracket is reported by the parser, not here.
    std::string inside = value.substr(1, value.size() - (value.back() == ']' ? 2 : 1));
    std::string list;
    for (std::size_t at = 0; at <= inside.size();) {
        const std::size_t comma = std::min(inside.find(',', at), inside.size());
        const std::string element = trimmed(inside.substr(at, comma - at));
        if (!element.empty()) {
            list += (list.empty() ? "" : ", ") +
                    (startsWithOneOf(element, "\"'") ? element : quotedText(element));
        }
        at = comma + 1;
    }
    return "[" + list + "]";
}

/// "field: value" as in a file.
std::string asFieldText(const FieldDescriptor& field, const std::string& value, bool wholeList)
{
    if (isMessage(field)) {
        // A message may be given with or without its braces.
        const bool complete = startsWithOneOf(value, "{<") || (wholeList && value[0] == '[');
        return complete ? field.name() + ": " + value : field.name() + " {\n" + value + "\n}";
    }
    std::string plain = field.name() + ": " + value;
    if (field.cpp_type() != FieldDescriptor::CPPTYPE_STRING || startsWithOneOf(value, "\"'")) {
        return plain;
    }
    if (wholeList && value[0] == '[') {
        return field.name() + ": " + quotedList(value);
    }
    return field.name() + ": " + quotedText(value);
}

bool isMissingSomething(const Problem& problem)
{
    const std::string& id = problem.error.id;
    return id == "spec.required" || id == "spec.too_few" || id == "spec.member_required";
}

/// Parses the value into an otherwise empty message of the parent's type.
Result<std::unique_ptr<Message>> readValue(const Message& parent, const FieldDescriptor& field,
                                           const SpecPath& path, const std::string& value)
{
    const bool wholeList = field.is_repeated() && !path.steps.back().hasElement();
    if (!wholeList || value[0] != '[') {
        if (Result<void> one = checkTypedNumber(value, field); !one) {
            return tl::make_unexpected(std::move(one).error().at(path.toString()));
        }
    }
    // Through the reader of files, so that an override means what the same text means in a file.
    // The line break ends a comment, if there is one.
    const ReadText read = readText(asFieldText(field, value, wholeList) + "\n");
    if (!read.problems.empty() || read.tree.root.fields.size() != 1) {
        const std::string why = read.problems.empty() ? "it is more than one value."
                                                      : read.problems.front().error.sentence;
        return tl::make_unexpected(
            error(ErrorCode::InvalidArgument, kOverrideValue, value, field.name(), why)
                .at(path.toString()));
    }
    // A message of the parent's type, since a field's value cannot be parsed without its field.
    std::unique_ptr<Message> scratch(parent.New());
    std::vector<Problem> problems = fillMessage(read.tree, read.tree.root, path.parent(), *scratch);
    if (problems.empty()) {
        checkField(*scratch, field, path.parent().child(field.name()), problems);
        // What is missing may come with the next override.
        problems.erase(std::remove_if(problems.begin(), problems.end(), isMissingSomething),
                       problems.end());
    }
    if (!problems.empty()) {
        return tl::make_unexpected(std::move(problems.front().error));
    }
    return scratch;
}

/// The message that holds the path's last field, created if absent.
Result<Message*> makeParent(Message& root, const SpecPath& path)
{
    Message* message = &root;
    SpecPath done;
    for (const PathStep& step : path.parent().steps) {
        CANNERY_TRY_ASSIGN(const FieldDescriptor* field,
                           findField(*message->GetDescriptor(), step.field, done));
        done.steps.push_back(step);
        CANNERY_TRY_ASSIGN(const FieldAddress address, locate(root, done));
        CANNERY_TRY(subMessage(address, done, path.steps[done.steps.size()].field));
        const Reflection& reflection = *message->GetReflection();
        if (field->is_repeated()) {
            message = reflection.MutableRepeatedMessage(message, field, address.index);
            continue;
        }
        const auto* oneof = field->containing_oneof();
        const FieldDescriptor* present =
            oneof == nullptr ? nullptr : reflection.GetOneofFieldDescriptor(*message, oneof);
        // Setting a member of a oneof would delete the other one without notice.
        if (present != nullptr && present != field) {
            return tl::make_unexpected(error(ErrorCode::InvalidArgument, kOtherMemberChosen,
                                             step.field, present->name(), done.toString())
                                           .at(path.toString()));
        }
        message = reflection.MutableMessage(message, field);
    }
    return message;
}

void replaceElement(Message& parent, const FieldDescriptor& field, int index, const Message& value)
{
    const Reflection& reflection = *parent.GetReflection();
    parent.MergeFrom(value); // appends
    const int last = reflection.FieldSize(parent, &field) - 1;
    // MergeFrom() can only append, so the new element is swapped into place.
    // If the element was appended, it is in its place already.
    if (index != last) {
        reflection.SwapElements(&parent, &field, index, last);
        reflection.RemoveLast(&parent, &field);
    }
}

/// Elements are counted on the parent that exists now.
Result<int> elementOf(const Message& root, const Message& parent, const FieldDescriptor& field,
                      const SpecPath& path)
{
    if (!path.steps.back().hasElement()) {
        return -1;
    }
    const int count = field.is_repeated() ? parent.GetReflection()->FieldSize(parent, &field) : -1;
    // The index after the last element makes a new one.
    if (path.steps.back().index == count) {
        return count; // appends
    }
    CANNERY_TRY_ASSIGN(const FieldAddress address, locate(root, path));
    return address.index;
}

Result<void> setIn(Experiment& experiment, const SpecPath& path, const std::string& value)
{
    CANNERY_TRY_ASSIGN(Message * parent, makeParent(experiment, path));
    CANNERY_TRY_ASSIGN(const FieldDescriptor* field,
                       findField(*parent->GetDescriptor(), path.steps.back().field, path.parent()));
    CANNERY_TRY_ASSIGN(const int index, elementOf(experiment, *parent, *field, path));
    CANNERY_TRY_ASSIGN(const auto read, readValue(*parent, *field, path, value));
    if (index >= 0) {
        replaceElement(*parent, *field, index, *read);
    } else {
        // MergeFrom() would append to a list and merge messages; a value replaces what was there.
        parent->GetReflection()->ClearField(parent, field);
        parent->MergeFrom(*read);
    }
    return {};
}

} // namespace

Result<void> setField(Experiment& experiment, const SpecPath& path, std::string_view value)
{
    const std::string text = trimmed(value);
    if (text.empty()) {
        return clearField(experiment, path);
    }
    if (path.steps.empty()) {
        return fail(ErrorCode::InvalidArgument, kOverrideSyntax, value);
    }
    // On a copy, so that a failed override leaves the experiment as it was.
    Experiment changed = experiment;
    CANNERY_TRY(setIn(changed, path, text));
    experiment.Swap(&changed);
    return {};
}

Result<void> clearField(Experiment& experiment, const SpecPath& path)
{
    CANNERY_TRY_ASSIGN(const FieldAddress address, locate(experiment, path));
    if (address.field == nullptr) {
        return fail(ErrorCode::InvalidArgument, kOverrideSyntax, path.toString());
    }
    Experiment changed = experiment;
    CANNERY_TRY_ASSIGN(Message * parent, makeParent(changed, path));
    const Reflection& reflection = *parent->GetReflection();
    if (address.index < 0) {
        reflection.ClearField(parent, address.field);
    } else {
        const int count = reflection.FieldSize(*parent, address.field);
        // RemoveLast() is all that reflection has: the element is moved to the end first.
        for (int i = address.index; i + 1 < count; ++i) {
            reflection.SwapElements(parent, address.field, i, i + 1);
        }
        reflection.RemoveLast(parent, address.field);
    }
    experiment.Swap(&changed);
    return {};
}

Result<void> applyOverride(Experiment& experiment, std::string_view assignment)
{
    // A name in a path may contain "=" in quotes, as in feature_column["a=b"].
    bool inQuotes = false;
    for (std::size_t i = 0; i < assignment.size(); ++i) {
        if (inQuotes && assignment[i] == '\\') {
            ++i; // whatever it escapes
            continue;
        }
        inQuotes = inQuotes != (assignment[i] == '"');
        if (assignment[i] == '=' && !inQuotes) {
            CANNERY_TRY_ASSIGN(const SpecPath path, parsePath(trimmed(assignment.substr(0, i))));
            return setField(experiment, path, assignment.substr(i + 1));
        }
    }
    return fail(ErrorCode::InvalidArgument, kOverrideSyntax, assignment);
}

} // namespace cannery::spec
