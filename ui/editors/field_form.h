// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/field_schema.h"
#include "ui/editors/form_part.h"

#include <QList>

class QVBoxLayout;

namespace cannery::ui {

class Button;
/// The form of a message, made from the schema alone: a row for each scalar and list, a section for
/// each message, a choice for a oneof, a list of sections for repeated messages. What only experts
/// need is folded away until it is set, asked for or looked for.
class FieldForm : public FormPart
{
    Q_OBJECT

public:
    struct Options
    {
        /// Fields that are edited elsewhere.
        std::function<bool(const FieldSchema&)> isLeftOut = {};
        /// Of the row that chooses the member of a oneof; the message's own label if empty.
        QString choiceLabel = {};
        /// The member of a oneof is chosen elsewhere.
        bool isWithoutChoice = false;
    };

    /// `path` leads to a message ("" is the experiment), which need not be set.
    FieldForm(const FormContext& context, const QString& path, const Options& options,
              QWidget* parent = nullptr);

    void refresh() override;
    void refreshProblems() override;
    int find() override;

    /// Unfolds, scrolls to and focuses the field at a path in here; false if there is none.
    bool reveal(const QString& path);

private:
    void build(const MessageSchema& schema);
    void addField(const FieldSchema& field);
    FormPart* makePart(const FieldSchema& field);
    void showParts();

    struct Part
    {
        FormPart* widget = nullptr;
        bool isExpert = false;
    };

    Options m_options;
    QVBoxLayout* m_column;
    QList<Part> m_parts;
    Button* m_more = nullptr;
    bool m_showsExperts = false;
    int m_found = 0;
};

/// Keeps a form in step with the document while it is visible.
void followDocument(FormPart* form, ExperimentDocument& document);

} // namespace cannery::ui
