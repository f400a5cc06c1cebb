// SPDX-License-Identifier: Apache-2.0
#include "core/spec/text/text_layout.h"

#include <algorithm>

namespace cannery::spec {

namespace {

constexpr std::size_t kColumns = 100;

bool hasComment(const CommentLines& lines)
{
    // An empty line stands for a blank line that is kept.
    return std::any_of(lines.begin(), lines.end(),
                       [](const std::string& line) { return !line.empty(); });
}

bool hasComment(const LayoutField& field);

bool hasComment(const LayoutMessage& message)
{
    return !message.openComment.empty() || hasComment(message.dangling) ||
           std::any_of(message.fields.begin(), message.fields.end(), [](const LayoutField& field) {
               return hasComment(field.leading) || !field.trailing.empty() || hasComment(field);
           });
}

/// Within the field, not around it.
bool hasComment(const LayoutField& field)
{
    return hasComment(field.body) ||
           std::any_of(field.items.begin(), field.items.end(), [](const LayoutItem& item) {
               return hasComment(item.leading) || !item.trailing.empty();
           });
}

void appendItems(const std::vector<LayoutItem>& items, std::string& text)
{
    if (items.size() == 1) {
        text += items.front().text;
        return;
    }
    text += '[';
    for (const LayoutItem& item : items) {
        text += &item == &items.front() ? "" : ", ";
        text += item.text;
    }
    text += ']';
}

void appendFields(const LayoutMessage& message, std::string& text);

/// On one line.
void appendField(const LayoutField& field, std::string& text)
{
    if (!field.verbatim.empty()) {
        text += field.verbatim;
        return;
    }
    text += field.name;
    if (!field.isMessage) {
        text += ": ";
        appendItems(field.items, text);
    } else if (field.body.fields.empty()) {
        text += " {}";
    } else {
        text += " { ";
        appendFields(field.body, text);
        text += " }";
    }
}

void appendFields(const LayoutMessage& message, std::string& text)
{
    for (const LayoutField& field : message.fields) {
        text += &field == &message.fields.front() ? "" : " ";
        appendField(field, text);
    }
}

/// Characters, not bytes.
std::size_t width(const std::string& text)
{
    // Bytes that do not continue a character.
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    }));
}

class Renderer
{
public:
    void fields(const LayoutMessage& message, std::size_t indent);
    std::string take() { return std::move(m_text); }

private:
    void line(std::size_t indent, const std::string& text);
    void comments(const CommentLines& lines, std::size_t indent, bool atStart);
    void field(const LayoutField& field, std::size_t indent);
    void list(const LayoutField& field, std::size_t indent);

    std::string m_text;
};

void Renderer::line(std::size_t indent, const std::string& text)
{
    m_text.append(indent, ' ');
    m_text += text;
    m_text += '\n';
}

void Renderer::comments(const CommentLines& lines, std::size_t indent, bool atStart)
{
    for (const std::string& comment : lines) {
        if (!comment.empty()) {
            line(indent, comment);
            // No blank line after an opening brace, nor at the start of the file.
        } else if (!atStart) {
            m_text += '\n';
        }
        atStart = false;
    }
}

void Renderer::fields(const LayoutMessage& message, std::size_t indent)
{
    bool atStart = true;
    for (const LayoutField& child : message.fields) {
        comments(child.leading, indent, atStart);
        field(child, indent);
        atStart = false;
    }
    comments(message.dangling, indent, atStart);
}

void Renderer::field(const LayoutField& field, std::size_t indent)
{
    const std::string trailing = field.trailing.empty() ? "" : "  " + field.trailing;
    // A comment needs its line's end, so a field that contains one is spread over lines.
    if (!hasComment(field)) {
        std::string text;
        appendField(field, text);
        const bool canBreak =
            field.verbatim.empty() &&
            (field.isMessage ? !field.body.fields.empty() : field.items.size() > 1);
        // What cannot be broken is left too long. A trailing comment does not count.
        if (indent + width(text) <= kColumns || !canBreak) {
            line(indent, text + trailing);
            return;
        }
    }
    if (!field.isMessage) {
        list(field, indent);
        line(indent, "]" + trailing);
        return;
    }
    line(indent,
         field.name + " {" + (field.body.openComment.empty() ? "" : "  " + field.body.openComment));
    fields(field.body, indent + 2);
    line(indent, "}" + trailing);
}

void Renderer::list(const LayoutField& field, std::size_t indent)
{
    line(indent, field.name + ": [");
    std::string row;
    const auto flush = [&] {
        if (!row.empty()) {
            line(indent + 2, row);
            row.clear();
        }
    };
    for (const LayoutItem& item : field.items) {
        if (hasComment(item.leading)) {
            flush();
            comments(item.leading, indent + 2, &item == &field.items.front());
        }
        const std::string text = item.text + (&item == &field.items.back() ? "" : ",");
        // As many elements in a line as fit, rather than one each: lists of words and numbers are
        // long.
        if (!row.empty() && indent + 2 + width(row) + 1 + width(text) > kColumns) {
            flush();
        }
        row += (row.empty() ? "" : " ") + text;
        // The comment ends the line, or the next element would become part of it.
        if (!item.trailing.empty()) {
            row += "  " + item.trailing;
            flush();
        }
    }
    flush();
    comments(field.body.dangling, indent + 2, false);
}

} // namespace

std::string renderItems(const std::vector<LayoutItem>& items)
{
    std::string text;
    appendItems(items, text);
    return text;
}

std::string renderOnOneLine(const LayoutMessage& message)
{
    std::string text;
    appendFields(message, text);
    return text;
}

std::string renderLayout(const LayoutMessage& message)
{
    Renderer renderer;
    renderer.fields(message, 0);
    return renderer.take();
}

} // namespace cannery::spec
