// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editing/feature_templates.h"

#include "ui/document/experiment_reading.h"
#include "ui/document/field_edit.h"
#include "ui/editing/feature_edits.h"
#include "ui/editing/field_values.h"
#include "ui/editing/offer_source.h"
#include "ui/services/projects/settings.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <functional>

namespace cannery::ui {

namespace {

// In the user's settings, not in the project: a template is for other tables.
const QString kSettingsKey = QStringLiteral("features/templates");

/// Calls for each text in a node that names a raw feature.
void eachFeature(const FieldNode& node, const std::function<void(const FieldNode&)>& found)
{
    if (node.names == FieldNames::Feature && !node.isMessage && !node.isRepeated &&
        !node.text.isEmpty()) {
        found(node);
        return;
    }
    for (const FieldNode& child : node.children) {
        eachFeature(child, found);
    }
}

/// These columns and those that they refer to, in the file's order.
QStringList withWhatTheyNeed(const FieldNode& root, const QStringList& columns)
{
    QStringList wanted = columns;
    const QList<FieldNode>& all = child(root, "feature_column").children;
    // Until nothing is added: a column may need one that needs another.
    for (bool isSettled = false; !isSettled;) {
        isSettled = true;
        for (const FieldNode& column : all) {
            const QString name = valueOf(column, "name");
            const bool isNeeded =
                !wanted.contains(name) &&
                std::any_of(all.begin(), all.end(), [&](const FieldNode& other) {
                    return wanted.contains(valueOf(other, "name")) && refersToColumn(other, name);
                });
            if (isNeeded) {
                wanted.append(name);
                isSettled = false;
            }
        }
    }
    QStringList ordered;
    for (const FieldNode& column : all) {
        if (wanted.contains(valueOf(column, "name"))) {
            ordered.append(valueOf(column, "name"));
        }
    }
    return ordered;
}

QByteArray withEdits(const QByteArray& text, const QList<FieldEdit>& edits)
{
    QString error;
    const auto change = editChange(text, edits, error);
    return change ? change->applied(text) : text;
}

} // namespace

QList<FeatureTemplate> FeatureTemplates::all() const
{
    QList<FeatureTemplate> templates;
    const QByteArray json = m_settings->value(kSettingsKey).toString().toUtf8();
    for (const QJsonValue& one : QJsonDocument::fromJson(json).array()) {
        templates.append({.name = one.toObject().value("name").toString(),
                          .text = one.toObject().value("text").toString().toUtf8()});
    }
    std::sort(templates.begin(), templates.end(),
              [](const FeatureTemplate& a, const FeatureTemplate& b) {
                  return a.name.localeAwareCompare(b.name) < 0;
              });
    return templates;
}

void FeatureTemplates::write(const QList<FeatureTemplate>& templates)
{
    QJsonArray json;
    for (const FeatureTemplate& one : templates) {
        json.append(QJsonObject{{"name", one.name}, {"text", QString::fromUtf8(one.text)}});
    }
    m_settings->setValue(
        kSettingsKey, templates.isEmpty()
                          ? QVariant()
                          : QString::fromUtf8(QJsonDocument(json).toJson(QJsonDocument::Compact)));
}

void FeatureTemplates::save(const FeatureTemplate& one)
{
    QList<FeatureTemplate> templates = all();
    templates.removeIf([&](const FeatureTemplate& other) { return other.name == one.name; });
    templates.append(one);
    write(templates);
}

void FeatureTemplates::remove(const QString& name)
{
    QList<FeatureTemplate> templates = all();
    templates.removeIf([&](const FeatureTemplate& one) { return one.name == name; });
    write(templates);
}

bool FeatureTemplates::rename(const QString& name, const QString& newName)
{
    QList<FeatureTemplate> templates = all();
    const auto isNamed = [&](const QString& wanted) {
        return std::find_if(templates.begin(), templates.end(),
                            [&](const FeatureTemplate& one) { return one.name == wanted; });
    };
    const auto found = isNamed(name);
    if (newName.isEmpty() || found == templates.end() || isNamed(newName) != templates.end()) {
        return false;
    }
    found->name = newName;
    write(templates);
    return true;
}

QByteArray templateText(const FieldNode& root, const QByteArray& text, const QStringList& columns)
{
    const QStringList kept = withWhatTheyNeed(root, columns);
    QByteArray result;
    for (const FieldNode& column : child(root, "feature_column").children) {
        if (kept.contains(valueOf(column, "name"))) {
            result += "feature_column " + writtenAt(text, column.path).toUtf8() + '\n';
        }
    }
    // The lists of the estimator that use the columns, so that they can be added to the same ones.
    QString lists;
    for (const ColumnList& list : columnLists(root)) {
        QStringList used = list.names;
        used.removeIf([&](const QString& name) { return !kept.contains(name); });
        if (!used.isEmpty()) {
            lists += ' ' + list.path.section('.', -1) + ": " + quotedList(used);
        }
    }
    const QString estimator = chosen(child(root, "estimator")).name;
    if (!lists.isEmpty()) {
        result += QStringLiteral("estimator { %1 {%2 } }\n").arg(estimator, lists).toUtf8();
    }
    return result;
}

QList<AbsentSource> absentSources(const QByteArray& text, const DataFacts& data,
                                  const QStringList& features)
{
    QList<AbsentSource> absent;
    const ExperimentReadingPtr reading = readExperiment(text, {});
    for (const FieldNode& column : child(reading->root, "feature_column").children) {
        eachFeature(column, [&](const FieldNode& source) {
            if (data.find(source.text) || features.contains(source.text)) {
                return;
            }
            auto same = std::find_if(absent.begin(), absent.end(), [&](const AbsentSource& other) {
                return other.name == source.text;
            });
            if (same == absent.end()) {
                same = absent.insert(absent.end(), {.name = source.text});
            }
            AbsentSource& found = *same;
            found.columns.append(valueOf(column, "name"));
            // One column that reads it as a number decides, whatever the others do.
            found.isNumber |= givesNumbers(column);
        });
    }
    return absent;
}

QByteArray mappedTemplate(const QByteArray& text, const QHash<QString, QString>& sources,
                          QStringList& leftOut)
{
    ExperimentReadingPtr reading = readExperiment(text, {});
    QList<FieldEdit> edits;
    QStringList without;
    for (const FieldNode& column : child(reading->root, "feature_column").children) {
        eachFeature(column, [&](const FieldNode& source) {
            const auto other = sources.constFind(source.text);
            if (other == sources.constEnd()) {
                return;
            }
            // The user wants none of the table's columns for it, so what reads it cannot stay.
            if (other->isEmpty()) {
                without.append(valueOf(column, "name"));
            } else {
                edits.append(FieldEdit::set(source.path, quoted(*other)));
            }
        });
    }
    QByteArray result = withEdits(text, edits);
    if (!without.isEmpty()) {
        // Read once more: the first edits have moved everything behind them.
        reading = readExperiment(result, {});
        leftOut = removedWith(reading->root, without);
        result = withEdits(result, removeColumnEdits(reading->root, without));
    }
    leftOut.removeDuplicates();
    return result;
}

} // namespace cannery::ui
