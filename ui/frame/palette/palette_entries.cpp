// SPDX-License-Identifier: GPL-3.0-only
#include "ui/frame/palette/palette_entries.h"

#include "ui/actions/action_registry.h"
#include "ui/document/experiment_document.h"
#include "ui/document/field_schema.h"
#include "ui/frame/dialogs/key_caps.h"
#include "ui/frame/dialogs/settings_dialog.h"
#include "ui/models/formats.h"
#include "ui/models/metric_names.h"
#include "ui/pages/page_catalog.h"
#include "ui/services/projects/project_session.h"
#include "ui/services/runs/run_catalog.h"
#include "ui/services/runs/series_store.h"

#include <QAction>
#include <QCoreApplication>
#include <QFileInfo>
#include <QSet>

#include <algorithm>

namespace cannery::ui {
namespace {

using Group = PaletteEntry::Group;

/// As in the menu; an action of a submenu is preceded by its name: "Export: SavedModel…".
QString titleOf(const ActionRegistry& actions, const QAction& action)
{
    const QString text = QString(action.text()).remove('&');
    return actions.spec(action.objectName()).menu == MenuId::FileExport
               ? PaletteModel::tr("%1: %2").arg(menuTitle(MenuId::FileExport).remove('&'), text)
               : text;
}

void addActions(const ActionRegistry& actions, QList<PaletteEntry>& entries)
{
    for (const QAction* action : actions.actions()) {
        const QString id = action->objectName();
        // Not itself, and pages have entries of their own.
        if (id == "action.palette" || id.startsWith("action.page_")) {
            continue;
        }
        const QString hindrance = actions.hindrance(id);
        const QString keys = action->shortcut().toString(QKeySequence::NativeText);
        const QString iconName = action->property("iconName").toString();
        entries.append({.group = Group::Actions,
                        .title = titleOf(actions, *action),
                        .detail = hindrance,
                        .icon = iconName.isEmpty() ? "command" : iconName,
                        .keys = keys.isEmpty() ? QStringList() : keyParts(keys),
                        .target = id,
                        .enabled = action->isEnabled(),
                        .meaning = actions.spec(id).help});
    }
}

void addExperiments(ProjectSession& session, QList<PaletteEntry>& entries)
{
    for (const ExperimentEntry& experiment : session.experiments().folder().entries()) {
        if (experiment.file != session.document().file()) {
            entries.append({.group = Group::Pages,
                            .title = PaletteModel::tr("Experiment: %1").arg(experiment.name),
                            .detail = QFileInfo(experiment.file).fileName(),
                            .icon = "file-text",
                            .target = "experiment:" + experiment.file});
        }
    }
}

/// By the name of TensorFlow's class; Model has them as tiles.
void addEstimators(ProjectSession& session, QList<PaletteEntry>& entries)
{
    const QString path = QStringLiteral("estimator");
    const bool isOpen = session.document().isOpen();
    for (const FieldSchema& member : messageSchema(path)->members()) {
        const std::optional<MessageSchema> schema = messageSchema(path + u'.' + member.name);
        entries.append({.group = Group::Estimators,
                        .title = schema ? schema->name : member.label,
                        .detail = isOpen ? PaletteModel::tr("choose it on the Model page")
                                         : PaletteModel::tr("No experiment is open."),
                        .icon = "topology-star-3",
                        .target = "model:estimator:" + member.name,
                        .enabled = isOpen,
                        .meaning = member.label + u' ' + member.help + u' ' +
                                   PaletteModel::tr("Choose estimator.")});
    }
}

void addRuns(ProjectSession& session, QList<PaletteEntry>& entries)
{
    const ProjectSnapshotPtr snapshot = session.runs().snapshot();
    for (const RunRow& run : snapshot->runs) {
        if (run.trashed) {
            continue;
        }
        const MetricSummary* metric = run.metric(run.shownMetric());
        const QString best = metric
                                 ? PaletteModel::tr("best %1 %2")
                                       .arg(metricWord(metric->name), formatNumber(metric->atBest))
                                 : QString();
        entries.append({.group = Group::Runs,
                        .title = run.displayName(),
                        .detail = best.isEmpty() ? displayName(run.state)
                                                 : displayName(run.state) + ", " + best,
                        .icon = "chart-line",
                        .target = "run:" + run.name});
        for (const CheckpointRow& checkpoint : run.checkpoints) {
            entries.append({.group = Group::Runs,
                            .title = PaletteModel::tr("%1 checkpoint %2")
                                         .arg(run.displayName(), formatCount(checkpoint.step)),
                            .detail = checkpoint.isBest ? best : QString(),
                            .icon = checkpoint.isBest ? "star" : "database",
                            .target = "run:" + run.name});
        }
    }
}

void addTags(ProjectSession& session, QList<PaletteEntry>& entries)
{
    QSet<QString> seen;
    // A tag that many runs have is one entry.
    for (const RunRow& run : session.runs().snapshot()->runs) {
        for (const SeriesKey& key : session.series().keys(run.name)) {
            if (!seen.contains(key.tag)) {
                seen.insert(key.tag);
                entries.append({.group = Group::Tags,
                                .title = key.tag,
                                .icon = "tag",
                                .target = "tag:" + key.tag});
            }
        }
    }
}

} // namespace

QList<PaletteEntry> paletteEntries(const ActionRegistry& actions, ProjectSession& session)
{
    QList<PaletteEntry> entries;
    addActions(actions, entries);
    for (const PageRow& row : pageCatalog()) {
        const QString id = QString("action.page_%1").arg(row.id);
        const QAction* action = actions.find(id);
        const QString keys =
            action ? action->shortcut().toString(QKeySequence::NativeText) : QString();
        entries.append({.group = Group::Pages,
                        .title = QCoreApplication::translate("PageCatalog", row.label),
                        .icon = row.icon,
                        .keys = keys.isEmpty() ? QStringList() : keyParts(keys),
                        .target = id});
    }
    addExperiments(session, entries);
    addEstimators(session, entries);
    addRuns(session, entries);
    addTags(session, entries);
    for (const auto& [title, section] : SettingsDialog::index()) {
        entries.append({.group = Group::Settings,
                        .title = title,
                        .icon = "adjustments",
                        .target = "setting:" + section});
    }
    return entries;
}

} // namespace cannery::ui
