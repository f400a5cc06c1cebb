// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/field_schema.h"

#include <QAbstractSpinBox>
#include <QLineEdit>

namespace cannery::ui {

/// A field in which a number is typed as text ("1e-3"), with steps by arrows, keys and wheel.
class NumberBox : public QAbstractSpinBox
{
    Q_OBJECT
    /// Read and written by assistive technology.
    Q_PROPERTY(QString value READ text WRITE setText)

public:
    explicit NumberBox(const FieldSchema& schema, QWidget* parent = nullptr);

    QLineEdit* line() const { return lineEdit(); }
    void setText(const QString& text) { lineEdit()->setText(text); }
    QSize minimumSizeHint() const override;
    void stepBy(int steps) override;
    QValidator::State validate(QString& text, int& position) const override;

Q_SIGNALS:
    /// The text is about to become this one.
    void stepped(const QString& text);

protected:
    StepEnabled stepEnabled() const override;

private:
    FieldSchema m_schema;
};

} // namespace cannery::ui
