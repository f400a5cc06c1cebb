// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/field_node.h"
#include "ui/models/tables/column_facts.h"

#include <QHash>
#include <QList>
#include <QString>
#include <QStringList>

namespace cannery::ui {

class Settings;

/// Feature columns that the person keeps under a name, as the text of an experiment that has
/// nothing else but the lists of its estimator that use them.
struct FeatureTemplate
{
    QString name;
    QByteArray text;

    bool operator==(const FeatureTemplate&) const = default;
};

/// The person's templates in their settings, sorted by name. GUI thread.
class FeatureTemplates
{
public:
    /// The settings must outlive it.
    explicit FeatureTemplates(Settings& settings) : m_settings(&settings) {}

    QList<FeatureTemplate> all() const;
    /// Replaces one of that name.
    void save(const FeatureTemplate& one);
    void remove(const QString& name);
    /// False if the name is empty or taken.
    bool rename(const QString& name, const QString& newName);

private:
    void write(const QList<FeatureTemplate>& templates);

    Settings* m_settings;
};

/// These columns of an experiment and what they are made of, as a template's text. `text` is the
/// experiment's, of which `root` was read.
QByteArray templateText(const FieldNode& root, const QByteArray& text, const QStringList& columns);

/// A column of a table that a template reads and another table lacks.
struct AbsentSource
{
    QString name;
    QStringList columns;   ///< of the template, that read it
    bool isNumber = false; ///< one of them needs numbers

    bool operator==(const AbsentSource&) const = default;
};
/// In the order of the template. `features`: what the experiment makes of the table's columns.
QList<AbsentSource> absentSources(const QByteArray& text, const DataFacts& data,
                                  const QStringList& features);

/// The template with other sources; a source that is mapped to nothing is left out with what is
/// made of it. `leftOut` names these columns.
QByteArray mappedTemplate(const QByteArray& text, const QHash<QString, QString>& sources,
                          QStringList& leftOut);

} // namespace cannery::ui
