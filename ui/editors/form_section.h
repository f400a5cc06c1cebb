// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/field_edit.h"
#include "ui/editors/field_form.h"

namespace cannery::ui {

class UpdateThrottle;
class Button;

/// A titled form that can be folded, and is made when it is first unfolded. Reset returns all its
/// fields to their defaults, as one step.
class FormSection : public QWidget
{
    Q_OBJECT

public:
    FormSection(const QString& title, bool isOpen, QWidget* parent = nullptr);

    /// Shows the form of another message; "" is none.
    void setForm(const FormContext& context, const QString& path,
                 const FieldForm::Options& options = {});
    void setOpen(bool isOpen);
    bool isOpen() const;
    QString title() const;
    /// While the context's query looks for something: unfolded, with what it looks for alone;
    /// afterwards as before. Returns how many fields are found.
    int find();
    /// Focuses the first field that is shown.
    void focusFirst();
    /// Unfolds it and focuses the field; false if it is not in here.
    bool reveal(const QString& path);
    /// What Reset does; empty if nothing is set.
    QList<FieldEdit> resetEdits() const;
    /// Shown below the form while the section is unfolded. Takes the widget.
    void setBelow(QWidget* below);
    /// Updates what its fields were before.
    void refreshFormer();

private:
    class Head;

    void make();
    void refreshReset();

    Head* m_head;
    Button* m_reset;
    UpdateThrottle* m_follow = nullptr;
    FieldForm* m_form = nullptr;
    QWidget* m_below = nullptr;
    bool m_isLooking = false;
    bool m_wasOpen = false; ///< before something was looked for
    FormContext m_context;
    QString m_path;
    FieldForm::Options m_options;
};

} // namespace cannery::ui
