// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/widgets/label.h"

namespace cannery::ui {

/// Markdown from a user, possibly someone else: headings, lists, emphasis, code, tables. It loads
/// nothing: HTML is shown literally, a picture as "[picture: where it is]", and only links to the
/// web and to mail are links, which emit linkActivated(). Very long texts are shown plain, up to a
/// limit.
class MarkdownLabel : public Label
{
    Q_OBJECT

public:
    explicit MarkdownLabel(QWidget* parent = nullptr);

    void setMarkdown(const QString& markdown);
    /// Text of our own, shown as it is.
    void setPlain(const QString& text);

    static constexpr qsizetype kLongest = 20'000;

private:
    using Label::setText;
};

} // namespace cannery::ui
