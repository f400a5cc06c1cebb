// SPDX-License-Identifier: GPL-3.0-only
#include "ui/document/field_tree.h"

#include "core/spec/experiment.pb.h"
#include "core/spec/message_access.h"
#include "core/spec/schema_help.h"
#include "core/spec/text/scalar_text.h"
#include "core/spec/text/syntax_lookup.h"
#include "ui/document/schema_texts.h"

#include <optional>
#include <string_view>

namespace cannery::ui {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

class TreeBuilder
{
public:
    explicit TreeBuilder(const spec::SyntaxTree& tree) : m_tree(tree) {}

    void addFields(const Message& message, const spec::SpecPath& path, FieldNode& node) const;

private:
    FieldNode nodeOf(const FieldDescriptor& field, const spec::SpecPath& path) const;
    void addRepeated(const Message& message, const FieldDescriptor& field, FieldNode& node,
                     const spec::SpecPath& path) const;
    void bind(const spec::SpecPath& path, FieldNode& node) const;
    QString scalar(const Message& message, const FieldDescriptor& field, int index,
                   const spec::SpecPath& path) const;
    /// The scalar as written in the text, whether it could be read or not; empty if it is not
    /// there.
    std::optional<std::string_view> written(const spec::SpecPath& path) const;

    const spec::SyntaxTree& m_tree;
};

/// The node's place in the text, if any.
void TreeBuilder::bind(const spec::SpecPath& path, FieldNode& node) const
{
    node.path = QString::fromStdString(path.toString());
    const spec::SyntaxMatch match = spec::findSyntax(m_tree, path);
    // Found down to its last step, it is in the text; otherwise it was filled in.
    node.isDefault = match.depth != path.steps.size();
    if (!node.isDefault) {
        const bool element = path.steps.back().hasElement() && match.value != nullptr;
        node.line =
            m_tree.lineOf(element ? match.value->range.begin : match.field->nameRange.begin);
    }
}

FieldNode TreeBuilder::nodeOf(const FieldDescriptor& field, const spec::SpecPath& path) const
{
    const spec::FieldHelp help = spec::describeField(field);
    FieldNode node;
    describe(field, help, node);
    node.isMessage = help.message;
    bind(path, node);
    return node;
}

std::optional<std::string_view> TreeBuilder::written(const spec::SpecPath& path) const
{
    const spec::SyntaxMatch match = spec::findSyntax(m_tree, path);
    const bool isThere =
        match.depth == path.steps.size() && match.value != nullptr && !match.value->isMessage;
    return isThere ? std::optional(m_tree.slice(match.value->range)) : std::nullopt;
}

QString TreeBuilder::scalar(const Message& message, const FieldDescriptor& field, int index,
                            const spec::SpecPath& path) const
{
    const Reflection& reflection = *message.GetReflection();
    const std::optional<std::string_view> source = written(path);
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
        if (index >= 0) {
            return QString::fromStdString(reflection.GetRepeatedString(message, &field, index));
        }
        if (reflection.HasField(message, &field) || !source) {
            return QString::fromStdString(reflection.GetString(message, &field));
        }
    }
    return QString::fromStdString(source ? std::string(*source)
                                         : spec::scalarText(message, field, index));
}

void TreeBuilder::addRepeated(const Message& message, const FieldDescriptor& field, FieldNode& node,
                              const spec::SpecPath& path) const
{
    const Reflection& reflection = *message.GetReflection();
    QStringList texts;
    for (int i = 0; i < reflection.FieldSize(message, &field); ++i) {
        FieldNode element = node;
        element.children.clear();
        element.isRepeated = false;
        const spec::SpecPath place = path.element(i);
        bind(place, element);
        const std::string name = spec::elementName(message, field, i);
        element.name = name.empty() ? QString::number(i) : QString::fromStdString(name);
        if (node.isMessage) {
            addFields(reflection.GetRepeatedMessage(message, &field, i), place, element);
        } else {
            element.text = scalar(message, field, i, place);
            texts << element.text;
        }
        node.children << element;
    }
    node.text = texts.join(QStringLiteral(", "));
}

void TreeBuilder::addFields(const Message& message, const spec::SpecPath& path,
                            FieldNode& node) const
{
    const Reflection& reflection = *message.GetReflection();
    for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
        const FieldDescriptor& field = *message.GetDescriptor()->field(i);
        const bool isSet = field.is_repeated() ? reflection.FieldSize(message, &field) > 0
                                               : reflection.HasField(message, &field);
        const bool hasDefault = !field.is_repeated() && !spec::isMessage(field) &&
                                field.containing_oneof() == nullptr && field.has_default_value();
        const spec::SpecPath place = path.child(field.name());
        // A value that the parser refused is shown as it was written, beside the problem.
        const bool isUnreadable =
            !isSet && !field.is_repeated() && !spec::isMessage(field) && written(place).has_value();
        if (!isSet && !hasDefault && !isUnreadable) {
            continue;
        }
        FieldNode child = nodeOf(field, place);
        if (field.is_repeated()) {
            addRepeated(message, field, child, place);
        } else if (spec::isMessage(field)) {
            addFields(reflection.GetMessage(message, &field), place, child);
        } else {
            child.text = scalar(message, field, -1, place);
        }
        node.children << child;
    }
}

/// Paths with names instead of indices, as users and problems write them.
void useNames(const Message& experiment, FieldNode& node)
{
    if (const Result<spec::SpecPath> path = spec::parsePath(node.path.toStdString())) {
        node.path = QString::fromStdString(spec::namedPath(experiment, *path).toString());
    }
    for (FieldNode& child : node.children) {
        useNames(experiment, child);
    }
}

} // namespace

FieldNode buildFieldTree(const spec::Experiment& experiment, const spec::SyntaxTree& tree)
{
    FieldNode root;
    root.type = QStringLiteral("Experiment");
    root.isMessage = true;
    TreeBuilder(tree).addFields(experiment, {}, root);
    for (FieldNode& child : root.children) {
        useNames(experiment, child);
    }
    return root;
}

const FieldNode* findField(const FieldNode& root, std::string_view path)
{
    const Result<spec::SpecPath> steps = spec::parsePath(path);
    if (!steps) {
        return path.empty() ? &root : nullptr;
    }
    const FieldNode* node = &root;
    for (const spec::PathStep& step : steps->steps) {
        node = node->child(QString::fromStdString(step.field));
        if (node != nullptr && step.name) {
            node = node->child(QString::fromStdString(*step.name));
        } else if (node != nullptr && step.index) {
            const bool exists = *step.index >= 0 && *step.index < node->children.size();
            node = exists ? &node->children.at(*step.index) : nullptr;
        }
        if (node == nullptr) {
            return nullptr;
        }
    }
    return node;
}

} // namespace cannery::ui
