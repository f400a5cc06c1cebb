// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/markdown_label.h"

#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>
#include <QUrl>

#include <algorithm>
#include <vector>

namespace cannery::ui {
namespace {

/// How deeply quotes and lists may be nested: every level takes width and stack.
constexpr int kDeepest = 20;

/// Loads nothing.
class ClosedDocument : public QTextDocument
{
public:
    using QTextDocument::QTextDocument;

protected:
    QVariant loadResource(int /*type*/, const QUrl& /*name*/) override { return QByteArray(); }
};

struct Piece
{
    int position = 0;
    int length = 0;
    QTextCharFormat format;
};

bool mayBeOpened(const QString& address)
{
    const QString scheme = QUrl(address).scheme();
    return scheme == "https" || scheme == "http" || scheme == "mailto";
}

/// Pictures and links, from the end to the beginning.
std::vector<Piece> outwardPieces(const QTextDocument& document)
{
    std::vector<Piece> pieces;
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        for (auto at = block.begin(); !at.atEnd(); ++at) {
            const QTextFragment part = at.fragment();
            if (part.charFormat().isImageFormat() || part.charFormat().isAnchor()) {
                pieces.push_back({part.position(), part.length(), part.charFormat()});
            }
        }
    }
    // From the end, because replacing a picture by words moves everything behind it.
    std::reverse(pieces.begin(), pieces.end());
    return pieces;
}

void closePictures(QTextDocument& document)
{
    for (const Piece& piece : outwardPieces(document)) {
        QTextCursor cursor(&document);
        cursor.setPosition(piece.position);
        cursor.setPosition(piece.position + piece.length, QTextCursor::KeepAnchor);
        if (piece.format.isImageFormat()) {
            cursor.insertText(
                MarkdownLabel::tr("[picture: %1]").arg(piece.format.toImageFormat().name()),
                QTextCharFormat());
            continue;
        }
        QTextCharFormat format = piece.format;
        format.clearForeground(); // links use the theme's colour
        if (!mayBeOpened(format.anchorHref())) {
            format.setAnchor(false);
            format.clearProperty(QTextFormat::AnchorHref);
            format.setFontUnderline(false);
        }
        cursor.setCharFormat(format);
    }
}

/// Judged by the beginnings of lines: the marks of quotes and lists, and indentation.
bool isTooDeep(const QString& markdown)
{
    int marks = 0;
    int spaces = 0;
    bool begins = true;
    for (const QChar letter : markdown) {
        if (letter == u'\n') {
            begins = true;
            marks = spaces = 0;
        } else if (begins && letter.isSpace()) {
            spaces += letter == u'\t' ? 4 : 1;
        } else if (begins && QStringLiteral(">-+*.)").contains(letter)) {
            ++marks;
        } else if (!letter.isDigit()) {
            begins = false;
        }
        if (marks + spaces / 2 > 2 * kDeepest) {
            return true;
        }
    }
    return false;
}

} // namespace

MarkdownLabel::MarkdownLabel(QWidget* parent) : Label({}, TextRole::Body, Ink::Text, parent)
{
    setWordWrap(true);
    setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
}

void MarkdownLabel::setPlain(const QString& text)
{
    setTextFormat(Qt::PlainText);
    setText(text);
    setFocusPolicy(Qt::NoFocus);
}

void MarkdownLabel::setMarkdown(const QString& markdown)
{
    // A project's notes may be a stranger's: what could exhaust memory or the stack is not parsed.
    if (markdown.size() > kLongest || isTooDeep(markdown)) {
        setPlain(markdown.left(kLongest));
        return;
    }
    ClosedDocument document;
    document.setDefaultFont(font());
    QTextDocument::MarkdownFeatures features = QTextDocument::MarkdownDialectGitHub;
    features |= QTextDocument::MarkdownNoHTML;
    document.setMarkdown(markdown, features);
    closePictures(document);
    const QString html = document.toHtml();
    setTextFormat(Qt::RichText);
    setText(html);
    setFocusPolicy(html.contains("<a href") ? Qt::TabFocus : Qt::NoFocus);
}

} // namespace cannery::ui
