// SPDX-License-Identifier: Apache-2.0
#include "core/spec/text/spec_path.h"

#include "core/base/catalog.h"
#include "core/spec/message_access.h"
#include "core/spec/text/path_namer.h"
#include "core/spec/text/text_escapes.h"
#include "core/spec/text/text_format.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <charconv>

namespace cannery::spec {

namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

constexpr ErrorKind kPathSyntax{
    "spec.path_syntax",
    "'{0}' is not a field path: write for example estimator.dnn_classifier.hidden_units[2]."};
constexpr ErrorKind kNotAMessage{"spec.path_not_message",
                                 "'{0}' is a value and has no field '{1}'."};
constexpr ErrorKind kNotRepeated{"spec.path_not_repeated",
                                 "'{0}' is a single value: remove '[{1}]'."};
constexpr ErrorKind kNoElement{"spec.path_no_element",
                               "'{0}' has no element '{1}': it has {2}.{3}"};
constexpr ErrorKind kElementNeeded{"spec.path_element_needed",
                                   "'{0}' is a list: say which element, as in {0}[0]{1}."};

bool isNumber(std::string_view text)
{
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Quoted only where readElement() would otherwise read something else: digits would be an index.
std::string bracketed(const PathStep& step)
{
    if (step.name) {
        const bool plain = !step.name->empty() && !isNumber(*step.name) &&
                           step.name->find_first_of("]\"\\\n") == std::string::npos;
        return plain ? *step.name : quotedText(*step.name);
    }
    return std::to_string(step.index.value_or(0));
}

/// Reads "[2]", "[age]" or "[\"a b\"]"; `at` is the position of the bracket and moves past it.
bool readElement(std::string_view text, std::size_t& at, PathStep& step)
{
    const std::size_t begin = ++at;
    if (begin < text.size() && text[begin] == '"') {
        std::size_t end = begin + 1;
        // An escaped quote does not end the name.
        while (end < text.size() && text[end] != '"') {
            end += text[end] == '\\' ? 2 : 1;
        }
        if (end + 1 >= text.size() || text[end + 1] != ']') {
            return false;
        }
        std::size_t bad = 0;
        step.name = unescape(text.substr(begin + 1, end - begin - 1), bad);
        at = end + 2;
        return step.name.has_value();
    }
    const std::size_t end = text.find(']', begin);
    if (end == std::string_view::npos || end == begin) {
        return false;
    }
    const std::string_view inside = text.substr(begin, end - begin);
    at = end + 1;
    if (!isNumber(inside)) {
        step.name = std::string(inside);
        return true;
    }
    int index = 0;
    const auto [rest, code] = std::from_chars(inside.data(), inside.data() + inside.size(), index);
    step.index = index;
    return code == std::errc();
}

bool readStep(std::string_view text, std::size_t& at, PathStep& step)
{
    const std::size_t end = std::min(text.find_first_of(".[", at), text.size());
    step.field = std::string(text.substr(at, end - at));
    at = end;
    const bool word =
        !step.field.empty() && std::all_of(step.field.begin(), step.field.end(), [](char c) {
            return c == '_' || (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
        });
    return word && (at == text.size() || text[at] == '.' || readElement(text, at, step));
}

Result<int> elementIndex(const Message& message, const FieldDescriptor& field, const PathStep& step,
                         const std::string& path)
{
    const int count = message.GetReflection()->FieldSize(message, &field);
    if (step.index && *step.index < count) {
        return *step.index;
    }
    std::vector<std::string> names;
    // A name leads to the first element that has it. An index out of range finds nothing here, and
    // the names are for the suggestion.
    for (int i = 0; i < count && isMessage(field); ++i) {
        names.push_back(elementName(message, field, i));
        if (step.name && names.back() == *step.name) {
            return i;
        }
    }
    return fail(ErrorCode::NotFound, kNoElement, path, bracketed(step),
                count == 1 ? std::string("one element") : fmt::format("{} elements", count),
                step.name ? suggestion(*step.name, names) : "");
}

} // namespace

SpecPath SpecPath::joined(const SpecPath& below) const
{
    SpecPath path = *this;
    path.steps.insert(path.steps.end(), below.steps.begin(), below.steps.end());
    return path;
}

SpecPath SpecPath::child(std::string_view field) const
{
    SpecPath path;
    // One allocation: paths are extended for each field that is checked.
    path.steps.reserve(steps.size() + 1);
    path.steps = steps;
    path.steps.push_back({std::string(field)});
    return path;
}

SpecPath SpecPath::element(int index) const
{
    SpecPath path = *this;
    path.steps.back().index = index;
    path.steps.back().name.reset();
    return path;
}

SpecPath SpecPath::parent() const
{
    SpecPath path = *this;
    if (!path.steps.empty()) {
        path.steps.pop_back();
    }
    return path;
}

bool SpecPath::startsWith(const SpecPath& prefix) const
{
    if (prefix.steps.size() > steps.size()) {
        return false;
    }
    // "a.b" is also a prefix of "a.b[2].c": a list contains its elements. Earlier steps must agree.
    for (std::size_t i = 0; i < prefix.steps.size(); ++i) {
        const bool last = i + 1 == prefix.steps.size();
        const bool wholeList = last && !prefix.steps[i].hasElement();
        if (!(steps[i] == prefix.steps[i]) &&
            !(wholeList && steps[i].field == prefix.steps[i].field)) {
            return false;
        }
    }
    return true;
}

std::string SpecPath::toString() const
{
    std::string text;
    for (const PathStep& step : steps) {
        text += text.empty() ? "" : ".";
        text += step.field;
        if (step.hasElement()) {
            text += '[' + bracketed(step) + ']';
        }
    }
    return text;
}

Result<SpecPath> parsePath(std::string_view text)
{
    SpecPath path;
    // "<=" makes a path that ends with a point fail: its last step has no name. An empty text is
    // the root.
    for (std::size_t at = 0; at <= text.size() && !text.empty(); ++at) {
        PathStep step;
        if (!readStep(text, at, step) || (at < text.size() && text[at] != '.')) {
            return fail(ErrorCode::InvalidArgument, kPathSyntax, text);
        }
        path.steps.push_back(std::move(step));
    }
    return path;
}

Result<FieldAddress> locate(const Message& message, const SpecPath& path)
{
    FieldAddress address{&message, nullptr, -1};
    SpecPath done;
    for (const PathStep& step : path.steps) {
        if (address.field != nullptr) {
            CANNERY_TRY_ASSIGN(address.parent, subMessage(address, done, step.field));
        }
        CANNERY_TRY_ASSIGN(address.field,
                           findField(*address.parent->GetDescriptor(), step.field, done));
        const std::string here = done.child(step.field).toString();
        address.index = -1;
        if (step.hasElement()) {
            if (!address.field->is_repeated()) {
                return fail(ErrorCode::InvalidArgument, kNotRepeated, here, bracketed(step));
            }
            CANNERY_TRY_ASSIGN(address.index,
                               elementIndex(*address.parent, *address.field, step, here));
        }
        done.steps.push_back(step);
    }
    return address;
}

Result<const Message*> subMessage(const FieldAddress& address, const SpecPath& path,
                                  std::string_view wanted)
{
    const Message& parent = *address.parent;
    if (!isMessage(*address.field)) {
        return fail(ErrorCode::InvalidArgument, kNotAMessage, path.toString(), wanted);
    }
    if (!address.field->is_repeated()) {
        return &parent.GetReflection()->GetMessage(parent, address.field);
    }
    if (address.index < 0) {
        const bool named = hasName(*address.field->message_type());
        return fail(ErrorCode::InvalidArgument, kElementNeeded, path.toString(),
                    named ? " or " + path.toString() + "[name]" : "");
    }
    return &parent.GetReflection()->GetRepeatedMessage(parent, address.field, address.index);
}

/// Unlike locate(), needs no element to exist: the descriptors alone decide.
Result<const FieldDescriptor*> describePath(const Message& message, const SpecPath& path)
{
    const Descriptor* descriptor = message.GetDescriptor();
    const FieldDescriptor* field = nullptr;
    SpecPath done;
    for (const PathStep& step : path.steps) {
        if (descriptor == nullptr) {
            return fail(ErrorCode::InvalidArgument, kNotAMessage, done.toString(), step.field);
        }
        CANNERY_TRY_ASSIGN(field, findField(*descriptor, step.field, done));
        descriptor = field->message_type();
        done.steps.push_back(step);
        if (step.hasElement() && !field->is_repeated()) {
            return fail(ErrorCode::InvalidArgument, kNotRepeated, path.toString(), bracketed(step));
        }
    }
    return field;
}

Result<SpecPath> indexedPath(const Message& message, const SpecPath& path)
{
    SpecPath result;
    for (const PathStep& step : path.steps) {
        result.steps.push_back(step);
        if (step.name) {
            // Found below the indices so far, since only the path up to here has been resolved.
            CANNERY_TRY_ASSIGN(const FieldAddress address, locate(message, result));
            result = result.element(address.index);
        }
    }
    return result;
}

bool PathNamer::isUnique(const FieldAddress& address, const std::string& name)
{
    // Counted once for each list: a path for each problem would otherwise walk the list again.
    const auto [place, isNew] = m_names.try_emplace({address.parent, address.field});
    Counts& counts = place->second;
    if (isNew) {
        const int size = address.parent->GetReflection()->FieldSize(*address.parent, address.field);
        for (int i = 0; i < size; ++i) {
            ++counts[elementName(*address.parent, *address.field, i)];
        }
    }
    const auto found = counts.find(name);
    return found != counts.end() && found->second == 1;
}

SpecPath PathNamer::named(const SpecPath& path)
{
    SpecPath result;
    SpecPath indexed;
    for (const PathStep& step : path.steps) {
        result.steps.push_back(step);
        indexed.steps.push_back(step);
        // Always by indices: a name that was just put into the result would have to be searched
        // for.
        const auto address = step.index ? locate(m_message, indexed) : Result<FieldAddress>();
        if (!address || address->field == nullptr || !isMessage(*address->field)) {
            continue;
        }
        const std::string name = elementName(*address->parent, *address->field, address->index);
        // A name that occurs twice would lead to its first element, so the index stays.
        if (!name.empty() && isUnique(*address, name)) {
            result.steps.back().index.reset();
            result.steps.back().name = name;
        }
    }
    return result;
}

SpecPath namedPath(const Message& message, const SpecPath& path)
{
    return PathNamer(message).named(path);
}

Result<std::string> valueText(const Message& message, const SpecPath& path)
{
    CANNERY_TRY_ASSIGN(const FieldAddress address, locate(message, path));
    if (address.field == nullptr) {
        return printMessage(message);
    }
    return printValue(*address.parent, *address.field, address.index);
}

} // namespace cannery::spec
