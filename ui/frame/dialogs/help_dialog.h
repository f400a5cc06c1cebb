// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/frame/dialogs/help_topic.h"
#include "ui/widgets/dialog.h"

class QListWidget;

namespace cannery::ui {

class Label;
class SearchField;

/// Help: what was asked about, and the glossary, a word at a time.
class HelpDialog : public Dialog
{
    Q_OBJECT

public:
    explicit HelpDialog(const HelpTopic& topic, QWidget* parent = nullptr);

private:
    QWidget* makeExplanation();
    void fill();
    void filter(const QString& typed);
    void explain();

    SearchField* m_find;
    QListWidget* m_terms;
    Label* m_term;
    Label* m_meaning;
    Label* m_judging;
    Label* m_none;
};

} // namespace cannery::ui
