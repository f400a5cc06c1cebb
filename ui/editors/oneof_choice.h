// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/field_schema.h"
#include "ui/editors/form_part.h"

class QComboBox;
class QVBoxLayout;

namespace cannery::ui {

class Label;

/// The member of a message's oneof as a list to choose from, and below it what that member takes.
/// Another member keeps what both have.
class OneofChoice : public FormPart
{
    Q_OBJECT

public:
    /// `path` leads to the message that holds the oneof.
    OneofChoice(const FormContext& context, const QString& path, const QString& label,
                QWidget* parent = nullptr);

    void refresh() override;
    void refreshProblems() override;
    int find() override;

private:
    void fill();
    void choose(int index);
    /// The member that is set or is the default; null if there is none.
    const FieldNode* member() const;
    void showMember(const FieldNode* member);

    MessageSchema m_schema;
    QString m_label;
    QVBoxLayout* m_column;
    QComboBox* m_box;
    Label* m_words;
    FormPart* m_form = nullptr; ///< of the member
    QString m_shown;            ///< its name
    bool m_canBeUnset = false;
};

} // namespace cannery::ui
