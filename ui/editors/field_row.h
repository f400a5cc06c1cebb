// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/field_schema.h"
#include "ui/editors/form_part.h"

class QMenu;

namespace cannery::ui {

class FieldControl;
class IconButton;
class Label;

/// One field of a form: a dot if the file sets it, label, control, unit, and a button that resets
/// it or explains it; below, its range while it has the focus, or what is wrong with it.
class FieldRow : public FormPart
{
    Q_OBJECT

public:
    FieldRow(const FormContext& context, const FieldSchema& schema, const QString& path,
             QWidget* parent = nullptr);

    void refresh() override;
    void refreshProblems() override;
    int find() override;
    /// For a row among other things: the label is as wide as its words.
    void setCompact();

Q_SIGNALS:
    void changedStateChanged();

protected:
    void contextMenuEvent(QContextMenuEvent* event) override;
    /// Fields that are typed have a menu of their own, which gets the same entries.
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    bool canReset() const;
    void fillMenu(QMenu& menu);
    void lay();
    void pressButton();
    void showWords();
    void fitLabel();

    FieldSchema m_schema;
    FieldControl* m_control;
    QWidget* m_dot;
    Label* m_label;
    IconButton* m_button;
    Label* m_words;
    bool m_isChanged = false;
    bool m_hasFocus = false;
    bool m_isCompact = false;
    bool m_explains = false;
};

} // namespace cannery::ui
