// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/editing/feature_templates.h"

#include <QObject>

class QMenu;
class QWidget;

namespace cannery::ui {

class ExperimentDocument;
class FeatureCommands;
class Toaster;

/// The menu of the person's templates of feature columns: each is applied to the open experiment,
/// renamed or deleted; columns of the experiment are saved as one. GUI thread.
class TemplateMenu : public QObject
{
    Q_OBJECT

public:
    TemplateMenu(Settings& settings, ExperimentDocument& document, FeatureCommands& commands,
                 Toaster& toaster, QWidget* page);

    QMenu* menu() const { return m_menu; }
    /// The feature column that is checked alone when columns are saved; if empty, all are.
    void setSelected(const QString& column) { m_selected = column; }

private:
    void fill();
    void fillOne(QMenu& menu, const FeatureTemplate& one);
    void apply(const FeatureTemplate& one);
    void askForSources(const FeatureTemplate& one, const QList<AbsentSource>& absent);
    void add(const FeatureTemplate& one, const QHash<QString, QString>& sources);
    void askToSave();
    void askToRename(const QString& name);
    void remove(const FeatureTemplate& one);
    /// Features that the experiment makes of the table's columns.
    QStringList derivedFeatures() const;

    FeatureTemplates m_templates;
    ExperimentDocument& m_document;
    FeatureCommands& m_commands;
    Toaster& m_toaster;
    QWidget* m_page;
    QMenu* m_menu;
    QString m_selected;
};

} // namespace cannery::ui
