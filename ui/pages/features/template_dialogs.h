// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/editing/feature_templates.h"
#include "ui/widgets/dialog.h"

class QComboBox;
class QLineEdit;
class QListWidget;

namespace cannery::ui {

// What is asked about templates of feature columns. Each dialog deletes itself once it is closed;
// its answers are read when it is accepted. GUI thread.

/// A template's new name.
class TemplateNameDialog : public Dialog
{
    Q_OBJECT

public:
    TemplateNameDialog(const QString& name, QWidget* parent);

    QString name() const;

private:
    QLineEdit* m_name;
};

/// A name, and which feature columns are saved under it.
class TemplateSaveDialog : public Dialog
{
    Q_OBJECT

public:
    /// `selected`: the column that alone is checked at first; if empty, all are. `taken`: names of
    /// templates, which are replaced.
    TemplateSaveDialog(const QStringList& columns, const QString& selected,
                       const QStringList& taken, QWidget* parent);

    QString name() const;
    QStringList columns() const;

private:
    void check();

    QStringList m_taken;
    QLineEdit* m_name;
    QListWidget* m_columns;
    Button* m_save;
};

/// For each column that the table lacks, another one, or none.
class TemplateSourcesDialog : public Dialog
{
    Q_OBJECT

public:
    TemplateSourcesDialog(const QString& name, const QList<AbsentSource>& absent,
                          const DataFacts& data, QWidget* parent);

    /// By the template's sources; an empty one is left out.
    QHash<QString, QString> sources() const;

private:
    void addRow(const AbsentSource& source, const DataFacts& data);

    QHash<QString, QComboBox*> m_choices;
};

} // namespace cannery::ui
