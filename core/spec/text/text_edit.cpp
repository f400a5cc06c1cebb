// SPDX-License-Identifier: Apache-2.0
#include "core/spec/text/text_edit.h"

#include "core/spec/experiment.pb.h"
#include "core/spec/message_access.h"
#include "core/spec/text/scalar_text.h"
#include "core/spec/text/syntax_lookup.h"
#include "core/spec/text/text_reader.h"

#include <algorithm>

namespace cannery::spec {

namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

constexpr ErrorKind kValueSyntax{"spec.value_not_writable",
                                 "'{0}' cannot be written as the value of '{1}': {2}"};
constexpr ErrorKind kNotThere{"spec.no_such_element",
                              "'{0}' does not exist in this experiment, so it cannot be {1}."};
constexpr ErrorKind kOtherMemberSet{
    "spec.other_member_set", "'{0}' cannot be set while '{1}' is: set {2} as a whole to switch."};

/// A replacement of a range of text made of several smaller ones within it.
class EditBuilder
{
public:
    explicit EditBuilder(const SyntaxTree& tree) : m_tree(tree) {}

    /// Sorted by offset, not overlapping.
    void add(TextRange range, std::string replacement)
    {
        m_edits.push_back({range, std::move(replacement)});
    }

    // One edit with what lies between unchanged, since an edit is undone as a whole.
    TextEdit build() const
    {
        TextEdit whole{{m_edits.front().range.begin, m_edits.back().range.end}, {}};
        std::size_t at = whole.range.begin;
        for (const TextEdit& edit : m_edits) {
            whole.replacement += m_tree.slice({at, edit.range.begin});
            whole.replacement += edit.replacement;
            at = edit.range.end;
        }
        return whole;
    }

private:
    const SyntaxTree& m_tree;
    std::vector<TextEdit> m_edits;
};

class Editor
{
public:
    explicit Editor(const SyntaxTree& tree) : m_tree(tree), m_text(tree.text) {}

    Result<TextEdit> set(const SpecPath& path, std::string_view value) const;
    Result<TextEdit> insert(const SpecPath& path, std::string_view value) const;
    Result<TextEdit> clear(const SpecPath& path) const;

private:
    // As the file has it, so that a file keeps one kind of line end.
    std::string newline() const { return m_text.find("\r\n") != std::string::npos ? "\r\n" : "\n"; }
    std::size_t lineBegin(std::size_t offset) const
    {
        return offset == 0 ? 0 : m_text.rfind('\n', offset - 1) + 1;
    }
    std::size_t lineEnd(std::size_t offset) const
    {
        return std::min(m_text.find('\n', offset), m_text.size());
    }
    bool isBlank(std::size_t begin, std::size_t end) const
    {
        return m_text.substr(begin, end - begin).find_first_not_of(" \t\r") == std::string::npos;
    }
    std::string indentOf(std::size_t offset) const;
    std::size_t behindSeparator(std::size_t offset) const;
    Result<std::string> writtenValue(const FieldDescriptor& field, std::string_view value) const;
    std::string missingText(const SpecPath& path, std::size_t depth, const FieldDescriptor& field,
                            const std::string& value) const;
    Result<TextEdit> insertMissing(const SpecPath& path, const SyntaxMatch& match,
                                   const std::string& value) const;
    TextEdit appendToList(const SyntaxMessage& message, const FieldDescriptor& field,
                          const std::string& value) const;
    TextEdit insertField(const SyntaxMessage& message, const FieldDescriptor& field,
                         const std::string& text) const;
    TextEdit insertBehind(const SyntaxMessage& message, std::size_t offset,
                          const std::string& text) const;
    TextRange removable(TextRange range) const;
    TextRange removableElement(const SyntaxField& field, const SyntaxValue& value) const;
    TextEdit replaceAll(const SyntaxMessage& message, const std::string& name,
                        const std::string& text) const;

    const SyntaxTree& m_tree;
    const std::string& m_text;
};

std::string Editor::indentOf(std::size_t offset) const
{
    const std::size_t begin = lineBegin(offset);
    const std::size_t end = std::min(m_text.find_first_not_of(" \t", begin), offset);
    return m_text.substr(begin, end - begin);
}

/// Moves past the ',' or ';' that may follow a field.
std::size_t Editor::behindSeparator(std::size_t offset) const
{
    const std::size_t next = m_text.find_first_not_of(" \t", offset);
    return next != std::string::npos && (m_text[next] == ',' || m_text[next] == ';') ? next + 1
                                                                                     : offset;
}

/// The value as written after "name: " or, for a message, after "name ".
Result<std::string> Editor::writtenValue(const FieldDescriptor& field, std::string_view value) const
{
    const std::size_t begin = value.find_first_not_of(" \t\r\n");
    std::string text(begin == std::string_view::npos ? "" : value.substr(begin));
    text.erase(text.find_last_not_of(" \t\r\n") + 1);
    const bool braces = !text.empty() && (text[0] == '{' || text[0] == '<' || text[0] == '[');
    if (isMessage(field) && !braces) {
        text = text.empty() ? "{}" : "{ " + text + " }";
    }
    if (!braces) {
        CANNERY_TRY(checkTypedNumber(text, field));
    }
    // Parsed as a file would be, so that a value that is written can be read again.
    const ReadText read = readText("x: " + text + "\n");
    // A separator behind the value would be written, too.
    const bool single =
        read.tree.root.fields.size() == 1 &&
        read.tree.root.fields[0].range.end == std::string_view("x: ").size() + text.size();
    if (!read.problems.empty() || !single || !read.tree.comments.empty()) {
        const std::string why = read.problems.empty() ? "it is not a single value."
                                                      : read.problems.front().error.sentence;
        return fail(ErrorCode::InvalidArgument, kValueSyntax, value, field.name(), why);
    }
    return text;
}

/// `a { b { c: value } }` for the steps from `depth` on.
std::string Editor::missingText(const SpecPath& path, std::size_t depth,
                                const FieldDescriptor& field, const std::string& value) const
{
    // The innermost field first, then the messages around it.
    std::string text = path.steps.back().field + (isMessage(field) ? " " : ": ") + value;
    for (std::size_t i = path.steps.size() - 1; i > depth; --i) {
        text = path.steps[i - 1].field + " { " + text + " }";
    }
    return text;
}

/// If it is on its own line, including that line; otherwise including one adjacent blank.
TextRange Editor::removable(TextRange range) const
{
    range.end = behindSeparator(range.end);
    const std::size_t begin = lineBegin(range.begin);
    std::size_t end = lineEnd(range.end);
    for (const SyntaxComment& comment : m_tree.comments) {
        if (comment.range.begin >= range.end && comment.range.begin < end) {
            end = comment.range.begin; // a comment after the field is removed with it
        }
    }
    if (isBlank(begin, range.begin) && isBlank(range.end, end)) {
        return {begin, std::min(lineEnd(range.end) + 1, m_text.size())};
    }
    if (range.begin > 0 && m_text[range.begin - 1] == ' ') {
        --range.begin;
    } else if (range.end < m_text.size() && m_text[range.end] == ' ') {
        ++range.end;
    }
    return range;
}

TextRange Editor::removableElement(const SyntaxField& field, const SyntaxValue& value) const
{
    if (!field.isList || field.values.size() == 1) {
        return removable(field.range);
    }
    const std::size_t index = static_cast<std::size_t>(&value - field.values.data());
    if (index + 1 < field.values.size()) {
        // With the comma that follows; of the last element, with the one before it.
        return {value.range.begin, field.values[index + 1].range.begin};
    }
    return {field.values[index - 1].range.end, value.range.end};
}

/// Replaces all fields of that name by one, at the first's location; an empty text removes them.
TextEdit Editor::replaceAll(const SyntaxMessage& message, const std::string& name,
                            const std::string& text) const
{
    EditBuilder builder(m_tree);
    bool first = true;
    for (const SyntaxField& field : message.fields) {
        if (field.name != name) {
            continue;
        }
        const bool keep = first && !text.empty();
        builder.add(keep ? field.range : removable(field.range), keep ? text : std::string());
        first = false;
    }
    return builder.build();
}

TextEdit Editor::appendToList(const SyntaxMessage& message, const FieldDescriptor& field,
                              const std::string& value) const
{
    const auto last =
        std::find_if(message.fields.rbegin(), message.fields.rend(),
                     [&](const SyntaxField& other) { return other.name == field.name(); });
    // Messages are fields of their own, next to each other, rather than a list in brackets.
    if (last == message.fields.rend() || last->values.empty() || isMessage(field)) {
        return insertField(message, field, field.name() + (isMessage(field) ? " " : ": ") + value);
    }
    if (last->isList) {
        const std::size_t end = last->values.back().range.end;
        return {{end, end}, ", " + value};
    }
    // A single value without brackets becomes a list.
    const TextRange range = last->values.front().range;
    return {range, "[" + std::string(m_tree.slice(range)) + ", " + value + "]"};
}

TextEdit Editor::insertField(const SyntaxMessage& message, const FieldDescriptor& field,
                             const std::string& text) const
{
    const Descriptor& schema = *field.containing_type();
    const SyntaxField* before = nullptr;
    for (const SyntaxField& other : message.fields) {
        const FieldDescriptor* known = schema.FindFieldByName(other.name);
        // Behind the last field that comes before it in the schema, as the formatter would put it.
        if (known != nullptr && known->index() <= field.index()) {
            before = &other;
        }
    }
    if (before != nullptr) {
        return insertBehind(message, behindSeparator(before->range.end), text);
    }
    const std::size_t begin = message.inside.begin;
    if (!message.fields.empty()) {
        const std::size_t first = message.fields.front().range.begin;
        const bool ownLine = isBlank(lineBegin(first), first);
        return {{first, first}, text + (ownLine ? newline() + indentOf(first) : " ")};
    }
    // An empty file, or one of comments: these stay above.
    if (message.inside == TextRange{0, m_text.size()}) {
        const bool needsBreak = !m_text.empty() && m_text.back() != '\n';
        return {{m_text.size(), m_text.size()}, (needsBreak ? newline() : "") + text + newline()};
    }
    const bool oneLine =
        m_text.substr(begin, message.inside.end - begin).find('\n') == std::string::npos;
    return oneLine ? TextEdit{{begin, message.inside.end}, " " + text + " "}
                   : insertBehind(message, begin, text);
}

/// After a field (or an opening brace) that ends at the offset.
TextEdit Editor::insertBehind(const SyntaxMessage& message, std::size_t offset,
                              const std::string& text) const
{
    const auto next =
        std::find_if(message.fields.begin(), message.fields.end(),
                     [&](const SyntaxField& field) { return field.range.begin >= offset; });
    const std::size_t limit = next == message.fields.end() ? message.inside.end : next->range.begin;
    const std::size_t end = lineEnd(offset);
    if (end >= limit && limit < m_text.size()) {
        return {{offset, offset}, " " + text}; // something follows on this line
    }
    const auto ownLine =
        std::find_if(message.fields.begin(), message.fields.end(), [&](const SyntaxField& field) {
            return isBlank(lineBegin(field.range.begin), field.range.begin);
        });
    const std::string indent = ownLine != message.fields.end()
                                   ? indentOf(ownLine->range.begin)
                                   : indentOf(message.inside.begin) + "  ";
    // Before the CR of a CRLF, so that both lines end alike.
    const std::size_t at =
        end > 0 && end <= m_text.size() && m_text[end - 1] == '\r' ? end - 1 : end;
    return {{at, at}, newline() + indent + text + (end == m_text.size() ? newline() : "")};
}

Result<TextEdit> Editor::insertMissing(const SpecPath& path, const SyntaxMatch& match,
                                       const std::string& value) const
{
    const std::size_t depth = match.depth;
    const SpecPath known{{path.steps.begin(), path.steps.begin() + static_cast<long>(depth) + 1}};
    CANNERY_TRY_ASSIGN(const FieldDescriptor* field,
                       describePath(Experiment::default_instance(), known));
    CANNERY_TRY_ASSIGN(const FieldDescriptor* last,
                       describePath(Experiment::default_instance(), path));
    if (match.value != nullptr && !match.value->isMessage) {
        return fail(ErrorCode::InvalidArgument, kNotThere, path.toString(), "set");
    }
    const SyntaxMessage& message = match.value != nullptr ? match.value->message : *match.message;
    const PathStep& step = path.steps[depth];
    int count = 0;
    // Elements may be spread over several fields of one name.
    for (const SyntaxField& other : message.fields) {
        count += other.name == step.field ? static_cast<int>(other.values.size()) : 0;
    }
    const bool appends = field->is_repeated() && step.index == count;
    // An element can only be made right behind the last one; elsewhere there would be a gap.
    if ((step.hasElement() || (field->is_repeated() && depth + 1 < path.steps.size())) &&
        !appends) {
        return fail(ErrorCode::NotFound, kNotThere, known.toString(), "set");
    }
    const bool isLast = depth + 1 == path.steps.size();
    if (appends && isLast) {
        return appendToList(message, *field, value);
    }
    const std::string text = missingText(path, depth, *last, value);
    for (const SyntaxField& other : message.fields) {
        const FieldDescriptor* sibling = field->containing_type()->FindFieldByName(other.name);
        if (field->containing_oneof() == nullptr || sibling == nullptr ||
            sibling->containing_oneof() != field->containing_oneof()) {
            continue;
        }
        // Setting a field inside of another member would delete what is there without notice.
        if (!isLast) {
            return fail(ErrorCode::InvalidArgument, kOtherMemberSet, step.field, other.name,
                        known.toString());
        }
        // The member is replaced where it stands.
        return TextEdit{other.range, text};
    }
    return insertField(message, *field, text);
}

Result<TextEdit> Editor::set(const SpecPath& path, std::string_view value) const
{
    CANNERY_TRY_ASSIGN(const FieldDescriptor* field,
                       describePath(Experiment::default_instance(), path));
    if (field == nullptr) {
        return fail(ErrorCode::InvalidArgument, kNotThere, path.toString(), "set");
    }
    CANNERY_TRY_ASSIGN(const std::string text, writtenValue(*field, value));
    const SyntaxMatch match = findSyntax(m_tree, path);
    if (match.depth < path.steps.size()) {
        return insertMissing(path, match, text);
    }
    // The whole list: all fields of its name become one.
    if (field->is_repeated() && !path.steps.back().hasElement()) {
        return replaceAll(*match.message, field->name(), field->name() + ": " + text);
    }
    if (match.value == nullptr) {
        return TextEdit{match.field->range, missingText(path, path.steps.size() - 1, *field, text)};
    }
    return TextEdit{match.value->range, text};
}

Result<TextEdit> Editor::insert(const SpecPath& path, std::string_view value) const
{
    const SyntaxMatch match = findSyntax(m_tree, path);
    if (match.depth < path.steps.size() || match.value == nullptr ||
        !path.steps.back().hasElement()) {
        return set(path, value);
    }
    CANNERY_TRY_ASSIGN(const FieldDescriptor* field,
                       describePath(Experiment::default_instance(), path));
    CANNERY_TRY_ASSIGN(const std::string text, writtenValue(*field, value));
    if (match.field->isList) {
        const std::size_t at = match.value->range.begin;
        return TextEdit{{at, at}, text + ", "};
    }
    const std::size_t begin = match.field->range.begin;
    const std::string written = field->name() + (isMessage(*field) ? " " : ": ") + text;
    std::size_t line = lineBegin(begin);
    if (!isBlank(line, begin)) {
        return TextEdit{{begin, begin}, written + " "};
    }
    // Comments directly above belong to the existing element.
    const auto isComment = [&](std::size_t at) {
        const std::size_t first = m_text.find_first_not_of(" \t", at);
        return first != std::string::npos && m_text[first] == '#';
    };
    while (line > match.message->inside.begin && line > 0 && isComment(lineBegin(line - 1))) {
        line = lineBegin(line - 1);
    }
    return TextEdit{{line, line}, indentOf(begin) + written + newline()};
}

Result<TextEdit> Editor::clear(const SpecPath& path) const
{
    const SyntaxMatch match = findSyntax(m_tree, path);
    if (path.steps.empty() || match.depth < path.steps.size()) {
        return fail(ErrorCode::NotFound, kNotThere, path.toString(), "cleared");
    }
    if (path.steps.back().hasElement()) {
        return TextEdit{removableElement(*match.field, *match.value), {}};
    }
    return replaceAll(*match.message, match.field->name, {});
}

} // namespace

std::string applyEdit(std::string_view text, const TextEdit& edit)
{
    std::string result(text.substr(0, edit.range.begin));
    result += edit.replacement;
    result += text.substr(edit.range.end);
    return result;
}

TextEdit inverseEdit(std::string_view text, const TextEdit& edit)
{
    return {{edit.range.begin, edit.range.begin + edit.replacement.size()},
            std::string(text.substr(edit.range.begin, edit.range.end - edit.range.begin))};
}

Result<TextEdit> setFieldEdit(const SyntaxTree& tree, const SpecPath& path, std::string_view value)
{
    return Editor(tree).set(path, value);
}

Result<TextEdit> insertElementEdit(const SyntaxTree& tree, const SpecPath& path,
                                   std::string_view value)
{
    return Editor(tree).insert(path, value);
}

Result<TextEdit> clearFieldEdit(const SyntaxTree& tree, const SpecPath& path)
{
    return Editor(tree).clear(path);
}

} // namespace cannery::spec
