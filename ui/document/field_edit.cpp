// SPDX-License-Identifier: GPL-3.0-only
#include "ui/document/field_edit.h"

#include "core/spec/experiment.pb.h"
#include "core/spec/message_access.h"
#include "core/spec/text/syntax_lookup.h"
#include "core/spec/text/text_edit.h"
#include "core/spec/text/text_escapes.h"
#include "core/spec/text/text_reader.h"

#include <QStringList>

#include <algorithm>
#include <utility>

namespace cannery::ui {
namespace {

constexpr ErrorKind kNotMovable{"document.not_movable",
                                "'{0}' cannot be moved to position {1} of its list."};

constexpr ErrorKind kNotOneValue{
    "document.not_one_value", "'{0}' is not one value of the field {1}: write one, such as 0.07."};

/// Quotes a bare text for a string field. Refuses what would end the value early, such as the comma
/// of "007,": the text format takes it for the end of the field.
Result<std::string> writtenValue(const spec::SpecPath& path, const std::string& value)
{
    using google::protobuf::FieldDescriptor;
    const auto field = spec::describePath(spec::Experiment::default_instance(), path);
    const bool isOne = field && (!(*field)->is_repeated() || path.steps.back().hasElement());
    if (!isOne || (*field)->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
        return value;
    }
    if ((*field)->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
        const bool isQuoted = value.starts_with('"') || value.starts_with('\'');
        return isQuoted ? value : spec::quotedText(value);
    }
    if (value.find_first_of(" \t\r\n,;#:[]{}<>\"'") != std::string::npos) {
        return fail(ErrorCode::InvalidArgument, kNotOneValue, value, path.toString());
    }
    return value;
}

/// The bytes of the elements of a list, in order. A scalar's name is not part of them; a message's
/// is, unless it is in brackets.
std::vector<spec::TextRange> elementRanges(const spec::SyntaxTree& tree, const spec::SpecPath& path)
{
    const spec::SyntaxMatch match = spec::findSyntax(tree, path);
    std::vector<spec::TextRange> ranges;
    if (match.depth != path.steps.size()) {
        return ranges;
    }
    for (const spec::SyntaxField& field : match.message->fields) {
        if (field.name != path.steps.back().field) {
            continue;
        }
        for (const spec::SyntaxValue& value : field.values) {
            ranges.push_back(value.isMessage && !field.isList ? field.range : value.range);
        }
    }
    return ranges;
}

std::string swapped(const std::string& text, spec::TextRange first, spec::TextRange second)
{
    return text.substr(0, first.begin) + text.substr(second.begin, second.end - second.begin) +
           text.substr(first.end, second.begin - first.end) +
           text.substr(first.begin, first.end - first.begin) + text.substr(second.end);
}

/// Neighbours are exchanged until the element is where it shall be, so that the layout stays.
Result<std::string> moved(std::string text, const spec::SpecPath& path, int target)
{
    const auto refuse = [&] {
        return fail(ErrorCode::InvalidArgument, kNotMovable, path.toString(), target);
    };
    const spec::SyntaxTree tree = spec::readText(text).tree;
    const spec::SyntaxMatch match = spec::findSyntax(tree, path);
    const std::vector<spec::TextRange> all = elementRanges(tree, path);
    const auto from = std::find_if(all.begin(), all.end(), [&](const spec::TextRange& range) {
        return match.value != nullptr && range.begin <= match.value->range.begin &&
               match.value->range.end <= range.end;
    });
    const auto count = static_cast<int>(all.size());
    if (match.depth != path.steps.size() || from == all.end() || target < 0 || target >= count) {
        return refuse();
    }
    for (int at = static_cast<int>(from - all.begin()); at != target;) {
        const int next = at < target ? at + 1 : at - 1;
        // Read again after each exchange, which has moved the bytes of both.
        const std::vector<spec::TextRange> now = elementRanges(spec::readText(text).tree, path);
        text = swapped(text, now[static_cast<std::size_t>(std::min(at, next))],
                       now[static_cast<std::size_t>(std::max(at, next))]);
        at = next;
    }
    return text;
}

/// Values, comments and layout stay.
std::string renamed(std::string text, const spec::SpecPath& path, const std::string& name)
{
    const spec::SyntaxTree tree = spec::readText(text).tree;
    const spec::SyntaxMatch match = spec::findSyntax(tree, path);
    if (match.depth != path.steps.size()) {
        return text; // not set: nothing to rename
    }
    const auto& fields = match.message->fields;
    // From the end, so that the ranges of those before it hold.
    for (auto field = fields.rbegin(); field != fields.rend(); ++field) {
        if (field->name == path.steps.back().field) {
            text.replace(field->nameRange.begin, field->nameRange.end - field->nameRange.begin,
                         name);
        }
    }
    return text;
}

/// Adds the first element on the way to a field that is named there but does not exist.
Result<std::string> withElements(std::string text, const spec::SpecPath& path)
{
    spec::SpecPath way;
    for (std::size_t i = 0; i + 1 < path.steps.size(); ++i) {
        way.steps.push_back(path.steps[i]);
        if (!path.steps[i].name) {
            continue;
        }
        const spec::SyntaxTree tree = spec::readText(text).tree;
        if (spec::findSyntax(tree, way).depth == way.steps.size()) {
            continue;
        }
        spec::SpecPath list = way;
        list.steps.back().name.reset();
        const auto count = static_cast<int>(elementRanges(tree, list).size());
        CANNERY_TRY_ASSIGN(
            const spec::TextEdit added,
            spec::setFieldEdit(tree, list.element(count),
                               "{ name: " + spec::quotedText(*path.steps[i].name) + " }"));
        return spec::applyEdit(text, added);
    }
    return text;
}

Result<std::string> edited(std::string text, const FieldEdit& edit)
{
    CANNERY_TRY_ASSIGN(const spec::SpecPath path, spec::parsePath(edit.path.toStdString()));
    if (edit.kind == FieldEdit::Kind::Move) {
        return moved(std::move(text), path, edit.target);
    }
    if (edit.kind == FieldEdit::Kind::Rename) {
        return renamed(std::move(text), path, edit.value.toStdString());
    }
    if (edit.kind == FieldEdit::Kind::Set) {
        CANNERY_TRY_ASSIGN(text, withElements(std::move(text), path));
    }
    const spec::SyntaxTree tree = spec::readText(text).tree;
    if (edit.kind == FieldEdit::Kind::Remove) {
        if (spec::findSyntax(tree, path).depth != path.steps.size()) {
            return text; // not set: nothing to remove
        }
        CANNERY_TRY_ASSIGN(const spec::TextEdit cleared, spec::clearFieldEdit(tree, path));
        return spec::applyEdit(text, cleared);
    }
    CANNERY_TRY_ASSIGN(const std::string value,
                       writtenValue(path, edit.value.trimmed().toStdString()));
    CANNERY_TRY_ASSIGN(const spec::TextEdit written,
                       edit.kind == FieldEdit::Kind::Insert
                           ? spec::insertElementEdit(tree, path, value)
                           : spec::setFieldEdit(tree, path, value));
    return spec::applyEdit(text, written);
}

} // namespace

FieldEdit FieldEdit::set(const QString& path, const QString& value)
{
    return {Kind::Set, path, value};
}

FieldEdit FieldEdit::insert(const QString& path, const QString& value)
{
    return {Kind::Insert, path, value};
}

FieldEdit FieldEdit::remove(const QString& path)
{
    return {Kind::Remove, path, {}};
}

FieldEdit FieldEdit::rename(const QString& path, const QString& fieldName)
{
    return {Kind::Rename, path, fieldName};
}

FieldEdit FieldEdit::move(const QString& path, int target)
{
    return {Kind::Move, path, {}, target};
}

std::optional<TextChange> editChange(const QByteArray& text, const QList<FieldEdit>& edits,
                                     QString& error)
{
    std::string changed = text.toStdString();
    // Each edit is made of the text that the one before it has left.
    for (const FieldEdit& edit : edits) {
        Result<std::string> next = edited(std::move(changed), edit);
        if (!next) {
            error = QString::fromStdString(next.error().message());
            return std::nullopt;
        }
        changed = std::move(*next);
    }
    return changeBetween(text, QByteArray::fromStdString(changed));
}

QString quoted(const QString& text)
{
    return QString::fromStdString(spec::quotedText(text.toStdString()));
}

QString quotedList(const QStringList& texts)
{
    QStringList written;
    for (const QString& text : texts) {
        written << quoted(text);
    }
    return u'[' + written.join(QStringLiteral(", ")) + u']';
}

QString writtenAt(const QByteArray& text, const QString& path)
{
    const Result<spec::SpecPath> steps = spec::parsePath(path.toStdString());
    if (!steps) {
        return {};
    }
    const spec::SyntaxTree tree = spec::readText(text.toStdString()).tree;
    const spec::SyntaxMatch match = spec::findSyntax(tree, *steps);
    if (match.depth != steps->steps.size() || match.value == nullptr) {
        return {};
    }
    const bool isWholeList = match.field->isList && !steps->steps.back().hasElement();
    const spec::TextRange range = isWholeList ? match.field->list : match.value->range;
    return QString::fromStdString(std::string(tree.slice(range)));
}

QString childPath(const QString& path, const QString& name)
{
    return path.isEmpty() ? name : path + u'.' + name;
}

QString elementPath(const QString& list, const QString& name)
{
    spec::SpecPath path{{spec::PathStep{{}, std::nullopt, name.toStdString()}}};
    return list + QString::fromStdString(path.toString());
}

QString elementPath(const QString& list, qsizetype index)
{
    return QStringLiteral("%1[%2]").arg(list).arg(index);
}

} // namespace cannery::ui
