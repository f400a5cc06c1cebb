// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/editors/field_form.h"

namespace cannery::ui {

class Attention;
class Button;

/// A titled form that can be folded; it is made when it is first unfolded. A message that need not
/// be there can be reset as a whole.
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
    /// Unfolds it and focuses the field; false if it is not in here.
    bool reveal(const QString& path);

private:
    class Head;

    void make();
    void refreshReset();

    Head* m_head;
    Button* m_reset;
    Attention* m_follow = nullptr;
    FieldForm* m_form = nullptr;
    FormContext m_context;
    QString m_path;
    FieldForm::Options m_options;
};

} // namespace cannery::ui
