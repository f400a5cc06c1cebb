// SPDX-License-Identifier: Apache-2.0
#include "core/spec/text/text_format.h"

#include "core/spec/experiment.pb.h"
#include "core/spec/message_access.h"
#include "core/spec/text/scalar_text.h"
#include "core/spec/text/text_layout.h"

#include <algorithm>
#include <memory>

namespace cannery::spec {

namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

LayoutMessage layoutOf(const Message& message)
{
    LayoutMessage layout;
    // Reserved before it is filled, as layouts of large experiments would otherwise be moved often.
    const Reflection& reflection = *message.GetReflection();
    std::vector<const FieldDescriptor*> present;
    reflection.ListFields(message, &present);
    // The order of declaration; ListFields() gives that of the field numbers.
    std::ranges::sort(present, {}, &FieldDescriptor::index);
    std::size_t fields = 0;
    for (const FieldDescriptor* field : present) {
        const bool isSeveral = field->is_repeated() && isMessage(*field);
        fields += isSeveral ? static_cast<std::size_t>(reflection.FieldSize(message, field)) : 1;
    }
    layout.fields.reserve(fields);
    for (const FieldDescriptor* each : present) {
        const FieldDescriptor& field = *each;
        const int count = field.is_repeated() ? reflection.FieldSize(message, &field) : 1;
        if (!isMessage(field)) {
            layout.fields.push_back({field.name()});
            std::vector<LayoutItem>& items = layout.fields.back().items;
            items.reserve(static_cast<std::size_t>(count));
            for (int index = 0; index < count; ++index) {
                items.push_back(
                    {{}, scalarText(message, field, field.is_repeated() ? index : -1), {}});
            }
            continue;
        }
        for (int index = 0; index < count; ++index) {
            layout.fields.push_back({field.name()});
            LayoutField& target = layout.fields.back();
            target.isMessage = true;
            target.body =
                layoutOf(field.is_repeated() ? reflection.GetRepeatedMessage(message, &field, index)
                                             : reflection.GetMessage(message, &field));
        }
    }
    return layout;
}

/// Turns a text into a layout: what is written where, with the associated comments.
class LayoutBuilder
{
public:
    explicit LayoutBuilder(const SyntaxTree& tree) : m_tree(tree) {}

    LayoutMessage build(const SyntaxMessage& syntax, const Descriptor* descriptor);

private:
    bool commentBefore(std::size_t offset) const
    {
        return m_next < m_tree.comments.size() && m_tree.comments[m_next].range.begin < offset;
    }
    std::string takeComment();
    void noteBlankLine(CommentLines& lines, std::size_t offset);
    void collect(CommentLines& lines, std::size_t offset);
    std::string takeTrailing(std::size_t end, std::size_t limit);
    std::string scalar(const SyntaxValue& value, const FieldDescriptor* descriptor) const;
    void addField(LayoutMessage& layout, const SyntaxField& field, const Descriptor* descriptor,
                  CommentLines& pending);
    void addItems(LayoutField& target, const SyntaxField& field, const FieldDescriptor* descriptor);
    void addMessages(LayoutMessage& layout, const SyntaxField& field,
                     const FieldDescriptor* descriptor, CommentLines& pending);

    const SyntaxTree& m_tree;
    std::size_t m_next = 0; ///< next comment to place
    std::size_t m_last = 0; ///< end of the last item placed, to detect blank lines
};

std::string LayoutBuilder::takeComment()
{
    const SyntaxComment& comment = m_tree.comments[m_next++];
    m_last = comment.range.end;
    std::string text(m_tree.slice(comment.range));
    text.erase(text.find_last_not_of(" \t") + 1);
    return text;
}

/// Keeps a blank line between the last item placed and the one at the offset.
void LayoutBuilder::noteBlankLine(CommentLines& lines, std::size_t offset)
{
    const std::string_view gap = m_tree.slice({m_last, offset});
    // More than one line end is one blank line, however many there were.
    if (std::count(gap.begin(), gap.end(), '\n') > 1 && (lines.empty() || !lines.back().empty())) {
        lines.emplace_back();
    }
}

void LayoutBuilder::collect(CommentLines& lines, std::size_t offset)
{
    while (commentBefore(offset)) {
        noteBlankLine(lines, m_tree.comments[m_next].range.begin);
        lines.push_back(takeComment());
    }
}

/// The comment after `end` on its line, unless something else (before `limit`) is in between.
std::string LayoutBuilder::takeTrailing(std::size_t end, std::size_t limit)
{
    if (!commentBefore(limit) || m_tree.comments[m_next].ownLine) {
        return {};
    }
    const std::string_view gap = m_tree.slice({end, m_tree.comments[m_next].range.begin});
    return gap.find('\n') == std::string_view::npos ? takeComment() : std::string();
}

std::string LayoutBuilder::scalar(const SyntaxValue& value, const FieldDescriptor* descriptor) const
{
    if (descriptor != nullptr && !value.isMessage && !isMessage(*descriptor)) {
        // Printed as set, so that 1e-3 and 0.001 get one spelling. What cannot be set stays as
        // written.
        const std::unique_ptr<Message> scratch(google::protobuf::MessageFactory::generated_factory()
                                                   ->GetPrototype(descriptor->containing_type())
                                                   ->New());
        if (setScalar(value, *descriptor, *scratch)) {
            return scalarText(*scratch, *descriptor, descriptor->is_repeated() ? 0 : -1);
        }
    }
    return std::string(m_tree.slice(value.range));
}

LayoutMessage LayoutBuilder::build(const SyntaxMessage& syntax, const Descriptor* descriptor)
{
    LayoutMessage layout;
    m_last = syntax.inside.begin;
    const std::size_t first =
        syntax.fields.empty() ? syntax.inside.end : syntax.fields.front().range.begin;
    // The root has no brace that a comment could follow.
    if (syntax.inside.begin > 0) {
        layout.openComment = takeTrailing(syntax.inside.begin, first);
    }
    CommentLines pending;
    for (std::size_t i = 0; i < syntax.fields.size(); ++i) {
        const SyntaxField& field = syntax.fields[i];
        collect(pending, field.range.begin);
        // One blank line between fields is kept, as it groups them.
        noteBlankLine(pending, field.range.begin);
        const std::size_t count = layout.fields.size();
        addField(layout, field, descriptor, pending);
        m_last = field.range.end;
        const std::size_t limit =
            i + 1 < syntax.fields.size() ? syntax.fields[i + 1].range.begin : syntax.inside.end;
        std::string trailing = takeTrailing(field.range.end, limit);
        // The comment of an empty list, which is dropped, moves to the next field.
        if (layout.fields.size() == count || !layout.fields.back().trailing.empty()) {
            if (!trailing.empty()) {
                pending.push_back(std::move(trailing));
            }
        } else {
            layout.fields.back().trailing = std::move(trailing);
        }
    }
    layout.dangling = std::move(pending);
    collect(layout.dangling, syntax.inside.end);
    return layout;
}

void LayoutBuilder::addField(LayoutMessage& layout, const SyntaxField& field,
                             const Descriptor* descriptor, CommentLines& pending)
{
    const FieldDescriptor* known =
        descriptor == nullptr ? nullptr : descriptor->FindFieldByName(field.name);
    if (known == nullptr) {
        // A field that the schema lacks is kept as written: formatting must lose nothing.
        LayoutField verbatim{field.name, std::move(pending)};
        pending.clear();
        verbatim.verbatim = std::string(m_tree.slice(field.range));
        while (commentBefore(field.range.end)) {
            takeComment(); // already in the verbatim text
        }
        layout.fields.push_back(std::move(verbatim));
        return;
    }
    if (isMessage(*known)) {
        addMessages(layout, field, known, pending);
        return;
    }
    LayoutField scalars{field.name, std::move(pending)};
    pending.clear();
    addItems(scalars, field, known);
    if (scalars.items.empty()) {
        pending = std::move(scalars.leading); // an empty list has no effect
        pending.insert(pending.end(), scalars.body.dangling.begin(), scalars.body.dangling.end());
        return;
    }
    layout.fields.push_back(std::move(scalars));
}

void LayoutBuilder::addItems(LayoutField& target, const SyntaxField& field,
                             const FieldDescriptor* descriptor)
{
    for (std::size_t i = 0; i < field.values.size(); ++i) {
        const SyntaxValue& value = field.values[i];
        LayoutItem item;
        CommentLines& leading = field.isList ? item.leading : target.leading;
        // A value outside of a list has no line of its own, so its comments go above the field.
        while (commentBefore(field.isList ? value.range.begin : value.range.end)) {
            leading.push_back(takeComment());
        }
        item.text = scalar(value, descriptor);
        while (commentBefore(value.range.end)) {
            leading.push_back(takeComment());
        }
        if (field.isList) {
            const bool last = i + 1 == field.values.size();
            item.trailing = takeTrailing(value.range.end,
                                         last ? field.list.end : field.values[i + 1].range.begin);
        }
        target.items.push_back(std::move(item));
    }
    while (commentBefore(field.range.end)) {
        target.body.dangling.push_back(takeComment());
    }
}

void LayoutBuilder::addMessages(LayoutMessage& layout, const SyntaxField& field,
                                const FieldDescriptor* descriptor, CommentLines& pending)
{
    // A list of messages becomes several fields, as printMessage() writes them.
    for (const SyntaxValue& value : field.values) {
        collect(pending, value.range.begin);
        LayoutField target{field.name, std::move(pending)};
        pending.clear();
        target.isMessage = true;
        target.body = build(value.message, descriptor->message_type());
        layout.fields.push_back(std::move(target));
        m_last = value.range.end;
    }
    collect(pending, field.range.end);
}

/// Sorts fields into the schema's order, and merges the elements of a list of scalars into one
/// list.
void normalize(LayoutMessage& layout, const Descriptor& descriptor)
{
    std::vector<LayoutField> merged;
    for (LayoutField& field : layout.fields) {
        const FieldDescriptor* known = descriptor.FindFieldByName(field.name);
        if (known != nullptr && field.isMessage) {
            normalize(field.body, *known->message_type());
        }
        const bool mayJoin =
            known != nullptr && known->is_repeated() && !field.isMessage && field.verbatim.empty();
        const auto same =
            !mayJoin ? merged.end()
                     : std::find_if(merged.begin(), merged.end(), [&](const LayoutField& other) {
                           return other.name == field.name;
                       });
        if (same == merged.end()) {
            merged.push_back(std::move(field));
            continue;
        }
        // Comments stay with the elements that they were written at, now inside of one list.
        if (!same->trailing.empty()) {
            same->items.back().trailing = std::move(same->trailing);
        }
        same->trailing = std::move(field.trailing);
        field.items.front().leading.insert(field.items.front().leading.begin(),
                                           field.leading.begin(), field.leading.end());
        for (std::string& line : same->body.dangling) {
            field.items.front().leading.push_back(std::move(line));
        }
        same->body.dangling = std::move(field.body.dangling);
        std::move(field.items.begin(), field.items.end(), std::back_inserter(same->items));
    }
    const auto order = [&](const LayoutField& field) {
        // Unknown fields come last, in their own order.
        const FieldDescriptor* known = descriptor.FindFieldByName(field.name);
        return known == nullptr ? descriptor.field_count() : known->index();
    };
    std::stable_sort(merged.begin(), merged.end(), [&](const LayoutField& a, const LayoutField& b) {
        return order(a) < order(b);
    });
    layout.fields = std::move(merged);
}

/// Comments at the top of a file, separated from the first field by a blank line, stay at the top.
CommentLines takeHeader(LayoutMessage& layout)
{
    if (layout.fields.empty()) {
        return {};
    }
    CommentLines& leading = layout.fields.front().leading;
    // Up to the last blank line: what directly precedes the first field belongs to it, and moves
    // along when fields are sorted.
    const auto lastBlank = std::find(leading.rbegin(), leading.rend(), std::string());
    CommentLines header(leading.begin(), lastBlank.base());
    leading.erase(leading.begin(), lastBlank.base());
    return header;
}

} // namespace

std::string printMessage(const Message& message)
{
    return renderLayout(layoutOf(message));
}

std::string printExperiment(const Experiment& experiment)
{
    return printMessage(experiment);
}

std::string printValue(const Message& parent, const FieldDescriptor& field, int index)
{
    const Reflection& reflection = *parent.GetReflection();
    const auto braced = [](const Message& message) {
        const std::string inside = renderOnOneLine(layoutOf(message));
        return inside.empty() ? std::string("{}") : "{ " + inside + " }";
    };
    if (!field.is_repeated()) {
        if (!reflection.HasField(parent, &field)) {
            return isMessage(field) ? std::string() : defaultText(field);
        }
        return isMessage(field) ? braced(reflection.GetMessage(parent, &field))
                                : scalarText(parent, field, -1);
    }
    const auto element = [&](int at) {
        return isMessage(field) ? braced(reflection.GetRepeatedMessage(parent, &field, at))
                                : scalarText(parent, field, at);
    };
    if (index >= 0) {
        return element(index);
    }
    std::string text;
    for (int i = 0; i < reflection.FieldSize(parent, &field); ++i) {
        text += (i == 0 ? "" : ", ") + element(i);
    }
    return text.empty() ? text : "[" + text + "]";
}

std::string formatExperiment(const SyntaxTree& tree)
{
    LayoutMessage layout = LayoutBuilder(tree).build(tree.root, Experiment::descriptor());
    // Before the fields are sorted: another field may then be the first one.
    CommentLines header = takeHeader(layout);
    normalize(layout, *Experiment::descriptor());
    std::string text;
    if (!header.empty()) {
        LayoutMessage top;
        top.dangling = std::move(header);
        text = renderLayout(top);
    }
    return text + renderLayout(layout);
}

} // namespace cannery::spec
