// SPDX-License-Identifier: Apache-2.0
#include "core/spec/text/syntax_lookup.h"

namespace cannery::spec {

namespace {

bool isCalled(const SyntaxValue& value, const std::string& name)
{
    for (const SyntaxField& field : value.message.fields) {
        // The name of an element is the text of its field `name`.
        if (field.name == "name" && !field.values.empty()) {
            return field.values.front().text == name;
        }
    }
    return false;
}

/// Sets field and value of the match; false if the step does not exist in the message.
bool findStep(const SyntaxMessage& message, const PathStep& step, SyntaxMatch& match)
{
    int index = 0;
    for (const SyntaxField& field : message.fields) {
        if (field.name != step.field) {
            continue;
        }
        if (!step.hasElement()) {
            match.field = &field;
            match.value = field.values.empty() ? nullptr : &field.values.front();
            return true;
        }
        for (const SyntaxValue& value : field.values) {
            if (step.name ? isCalled(value, *step.name) : index == *step.index) {
                match.field = &field;
                match.value = &value;
                return true;
            }
            ++index;
        }
    }
    return false;
}

} // namespace

SyntaxMatch findSyntax(const SyntaxTree& tree, const SpecPath& path)
{
    SyntaxMatch match;
    match.message = &tree.root;
    for (const PathStep& step : path.steps) {
        if (match.depth > 0) {
            if (match.value == nullptr || !match.value->isMessage) {
                return match;
            }
            match.message = &match.value->message;
        }
        SyntaxMatch next = match;
        if (!findStep(*match.message, step, next)) {
            return match;
        }
        match = next;
        ++match.depth;
    }
    return match;
}

TextPlace placeOf(const SyntaxTree& tree, const SpecPath& path)
{
    const SyntaxMatch match = findSyntax(tree, path);
    if (match.field == nullptr) {
        return {};
    }
    const bool whole = match.depth == path.steps.size();
    const bool element = !path.steps.empty() && path.steps.back().hasElement();
    // A problem of a scalar is shown at its value, one of a whole field at its name.
    if (whole && match.value != nullptr && !match.value->isMessage &&
        (element || !match.field->isList)) {
        return tree.placeOf(match.value->range.begin);
    }
    const bool inList = match.field->isList && match.value != nullptr && match.value->isMessage &&
                        path.steps[match.depth - 1].hasElement();
    return tree.placeOf(inList ? match.value->range.begin : match.field->nameRange.begin);
}

} // namespace cannery::spec
