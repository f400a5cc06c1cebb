// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/editors/field_control.h"
#include "ui/editors/field_text.h"

class QCompleter;
class QLineEdit;

namespace cannery::ui {

/// A number, a text, the name of something or of a file, or a list of these, typed on one line.
/// Names are completed; files have a button that chooses one, texts that are known one that lists
/// them.
class LineControl : public FieldControl
{
    Q_OBJECT

public:
    LineControl(const FormContext& context, const FieldSchema& schema, const QString& path,
                QWidget* parent = nullptr);

    void refresh() override;
    void setProblem(bool isWrong) override;
    bool isWide() const override;

private:
    void type(const QString& text);
    TypedValue typed(const QString& text) const;
    QStringList offers() const;
    QCompleter* addCompleter();
    void addOffers(QCompleter& completer);
    void fillOffers(QCompleter& completer) const;
    void chooseFile();

    QLineEdit* m_line = nullptr;
    QWidget* m_field = nullptr; ///< the line, or the box around it
    QString m_written;          ///< what was typed last, or shown, and is in the document
};

} // namespace cannery::ui
