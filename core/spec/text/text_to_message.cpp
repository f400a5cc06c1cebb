// SPDX-License-Identifier: Apache-2.0
#include "core/spec/text/text_to_message.h"

#include "core/base/catalog.h"
#include "core/spec/message_access.h"
#include "core/spec/text/scalar_text.h"
#include "core/spec/text/text_lexer.h"

#include <memory>
#include <unordered_map>

namespace cannery::spec {

namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::OneofDescriptor;
using google::protobuf::Reflection;

constexpr ErrorKind kDuplicateField{"spec.duplicate_field",
                                    "'{0}' is already set in line {1}: it can only be given once."};
constexpr ErrorKind kMemberSetTwice{
    "spec.two_members",
    "'{0}' cannot be combined with '{1}' (line {2}): only one of them can be set."};
constexpr ErrorKind kNotAList{"spec.not_a_list",
                              "'{0}' is a single value, not a list: remove the brackets."};
constexpr ErrorKind kNotAMessage{"spec.not_a_message",
                                 "'{0}' is {1}, not a message: write {0}: {2}."};
constexpr ErrorKind kNeedsMessage{"spec.needs_message",
                                  "'{0}' is a message: write {0} {{ … }}.{1}"};

class Filler
{
public:
    Filler(const SyntaxTree& tree, std::vector<Problem>& problems)
        : m_tree(tree), m_problems(problems)
    {}

    /// `path` is as it was afterwards.
    void fill(const SyntaxMessage& syntax, SpecPath& path, Message& message);

private:
    void report(std::size_t offset, const SpecPath& path, Error error)
    {
        Problem problem = syntaxProblem(m_tree, offset, std::move(error));
        problem.fieldPath = path.toString();
        problem.error.path = problem.fieldPath;
        addProblem(m_problems, std::move(problem));
    }
    int lineOf(const SyntaxField& field) const { return m_tree.lineOf(field.nameRange.begin); }
    /// What was given first for each field, or each oneof.
    using FirstFields = std::unordered_map<const void*, const SyntaxField*>;
    bool mayBeSet(const SyntaxField& field, const FieldDescriptor& descriptor, const SpecPath& path,
                  FirstFields& first);
    void fillField(const SyntaxField& field, const FieldDescriptor& descriptor, SpecPath& path,
                   Message& message);
    void fillValue(const SyntaxValue& value, const FieldDescriptor& descriptor, SpecPath& path,
                   Message& message);

    const SyntaxTree& m_tree;
    std::vector<Problem>& m_problems;
};

void Filler::fill(const SyntaxMessage& syntax, SpecPath& path, Message& message)
{
    FirstFields first;
    for (const SyntaxField& field : syntax.fields) {
        if (m_problems.size() >= kMostProblems) {
            return;
        }
        const auto descriptor = findField(*message.GetDescriptor(), field.name, path);
        if (!descriptor) {
            report(field.nameRange.begin, path.child(field.name), descriptor.error());
            continue;
        }
        if (mayBeSet(field, **descriptor, path, first)) {
            fillField(field, **descriptor, path, message);
        } else {
            // Its contents are still checked.
            const std::unique_ptr<Message> scratch(message.New());
            fillField(field, **descriptor, path, *scratch);
        }
    }
}

/// Reports the second of two singular fields or of two members of a oneof.
bool Filler::mayBeSet(const SyntaxField& field, const FieldDescriptor& descriptor,
                      const SpecPath& path, FirstFields& first)
{
    if (descriptor.is_repeated()) {
        return true;
    }
    const OneofDescriptor* oneof = descriptor.containing_oneof();
    const void* key = oneof != nullptr ? static_cast<const void*>(oneof) : &descriptor;
    const auto [known, isFirst] = first.emplace(key, &field);
    if (isFirst) {
        return true;
    }
    const SyntaxField& earlier = *known->second;
    report(field.nameRange.begin, path.child(field.name),
           earlier.name == field.name
               ? error(ErrorCode::InvalidArgument, kDuplicateField, field.name, lineOf(earlier))
               : error(ErrorCode::InvalidArgument, kMemberSetTwice, field.name, earlier.name,
                       lineOf(earlier)));
    return false;
}

void Filler::fillField(const SyntaxField& field, const FieldDescriptor& descriptor, SpecPath& path,
                       Message& message)
{
    DeeperPath deeper(path, field.name);
    if (field.isList && !descriptor.is_repeated()) {
        report(field.list.begin, path, error(ErrorCode::InvalidArgument, kNotAList, field.name));
        return;
    }
    for (const SyntaxValue& value : field.values) {
        if (descriptor.is_repeated()) {
            deeper.setElement(message.GetReflection()->FieldSize(message, &descriptor));
        }
        fillValue(value, descriptor, path, message);
    }
}

void Filler::fillValue(const SyntaxValue& value, const FieldDescriptor& descriptor, SpecPath& path,
                       Message& message)
{
    const Reflection* reflection = message.GetReflection();
    if (descriptor.is_repeated()) {
        makeRoom(message, descriptor);
    }
    if (value.isMessage != isMessage(descriptor)) {
        report(value.range.begin, path,
               value.isMessage ? error(ErrorCode::InvalidArgument, kNotAMessage, descriptor.name(),
                                       typeName(descriptor), exampleValue(descriptor))
                               : error(ErrorCode::InvalidArgument, kNeedsMessage, descriptor.name(),
                                       suggestion("", fieldNames(*descriptor.message_type()))));
        if (descriptor.is_repeated()) {
            addDefaultElement(message, descriptor);
        }
        return;
    }
    if (value.isMessage) {
        fill(value.message, path,
             descriptor.is_repeated() ? *reflection->AddMessage(&message, &descriptor)
                                      : *reflection->MutableMessage(&message, &descriptor));
        return;
    }
    if (auto set = setScalar(value, descriptor, message); !set) {
        report(value.range.begin, path, std::move(set).error());
        if (descriptor.is_repeated()) {
            addDefaultElement(message, descriptor);
        }
    }
}

} // namespace

std::vector<Problem> fillMessage(const SyntaxTree& tree, const SyntaxMessage& fields,
                                 const SpecPath& prefix, Message& message)
{
    std::vector<Problem> problems;
    SpecPath path = prefix;
    Filler(tree, problems).fill(fields, path, message);
    return problems;
}

} // namespace cannery::spec
