// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/field_schema.h"

#include <QStringList>
#include <QWidget>

#include <functional>
#include <optional>

class QAction;

namespace cannery::ui {

class ExperimentDocument;
class FieldQuery;

/// What the parts of a form share. Everything outlives them.
struct FormContext
{
    ExperimentDocument* document = nullptr;
    /// What a field that names something may name ("age", "fare"), in the order to offer it;
    /// feature columns are known without it. May be empty.
    std::function<QStringList(FieldNames)> names = {};
    /// Before a label in accessible names, so that two "Learning rate" differ; may be empty.
    QString prefix = {};
    /// A sentence with a field's value before it was changed ("64, 32 in run-003."); empty if it is
    /// as it was. May be empty.
    std::function<QString(const QString& path)> formerly = {};

    /// What a text may say that names nothing by its schema, in the order to offer it; empty: this
    /// is not known of the field at that path. May be empty.
    std::function<QStringList(const QString& path)> texts = {};

    /// The field that the texts at that path are values of, as those of a sweep are; none: of none.
    /// May be empty.
    std::function<std::optional<FieldSchema>(const QString& path)> element = {};

    /// Further entries for the menu of the field at that path, owned by `owner`. May be empty.
    std::function<QList<QAction*>(const QString& path, QObject* owner)> menu = {};
    /// What the element at that path is about ("Learning rate, Adam"), in place of its number;
    /// empty if there is nothing. May be empty.
    std::function<QString(const QString& path)> title = {};
    /// How a text that is offered is called in the list of offers. The text itself if empty.
    std::function<QString(const QString& text)> offerName = {};

    /// The query of find-in-form: fields that do not match are hidden. If it is null or empty, all
    /// are shown.
    const FieldQuery* query = nullptr;

    QString accessibleName(const QString& label) const;
    bool isLooking() const;
    /// Whether a field with this label, path and help is looked for.
    bool isFound(const QString& label, const QString& path, const QString& help) const;
    QStringList offered(FieldNames kind) const;
    QStringList offeredTexts(const QString& path) const;
    std::optional<FieldSchema> elementOf(const QString& path) const;
};

/// The width of the labels of a form, in design pixels: fields stand below each other.
inline constexpr int kLabelWidth = 112;

/// A part of a form that shows one field of the document, or a message with its fields, and edits
/// it there. GUI thread.
class FormPart : public QWidget
{
    Q_OBJECT

public:
    FormPart(FormContext context, QString path, QWidget* parent = nullptr);

    const QString& path() const { return m_path; }
    /// Shows what the document has now.
    virtual void refresh() = 0;
    /// Shows the problems that the document has now.
    virtual void refreshProblems() {}
    /// Hides what the context's query does not look for; returns how many fields it does.
    virtual int find() { return 0; }

protected:
    const FormContext& context() const { return m_context; }
    ExperimentDocument& document() const { return *m_context.document; }
    /// The field in the document; null if it is not set and has no default.
    const FieldNode* node() const;

private:
    FormContext m_context;
    QString m_path;
};

} // namespace cannery::ui
