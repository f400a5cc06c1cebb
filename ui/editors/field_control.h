// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/field_schema.h"
#include "ui/editors/form_part.h"

namespace cannery::ui {

/// The widget that edits one scalar, or a list of scalars. Writes into the document: while typing
/// as one undo step, otherwise at once.
class FieldControl : public FormPart
{
    Q_OBJECT

public:
    FieldControl(const FormContext& context, FieldSchema schema, const QString& path,
                 QWidget* parent = nullptr);

    /// The control that fits the field. The caller owns it.
    static FieldControl* make(const FormContext& context, const FieldSchema& schema,
                              const QString& path);

    /// Draws the frame of a wrong value.
    virtual void setProblem(bool isWrong) = 0;
    /// Whether it takes the width of the form.
    virtual bool isWide() const { return false; }

Q_SIGNALS:
    /// The keyboard focus came or went.
    void focusChanged(bool hasIt);

protected:
    const FieldSchema& schema() const { return m_schema; }
    /// Object name, accessible name and description of the widget that has the focus.
    void setUpField(QWidget* field);
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    FieldSchema m_schema;
};

} // namespace cannery::ui
