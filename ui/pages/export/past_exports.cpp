// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/export/past_exports.h"

#include "ui/models/formats.h"
#include "ui/services/projects/project_session.h"
#include "ui/services/runs/run_catalog.h"
#include "ui/widgets/button.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/label.h"

#include <QDir>
#include <QHBoxLayout>

#include <algorithm>

namespace cannery::ui {
namespace {

constexpr int kMostPast = 100; ///< rows

/// Of all runs, newest first.
QList<std::pair<const RunRow*, const ExportRow*>> exportsOf(const ProjectSnapshot& snapshot)
{
    QList<std::pair<const RunRow*, const ExportRow*>> past;
    for (const RunRow& run : snapshot.runs) {
        for (const ExportRow& done : run.exports) {
            past.append({&run, &done});
        }
    }
    std::stable_sort(past.begin(), past.end(), [](const auto& a, const auto& b) {
        return a.second->exportedAt > b.second->exportedAt;
    });
    return past;
}

} // namespace

PastExports::PastExports(ProjectSession& session, QWidget* parent)
    : InspectorSection(tr("Exports of this project"), parent), m_session(session)
{
    setObjectName("list.exports");
}

void PastExports::addNew(const QString& run, const QString& path)
{
    m_new.prepend({run, path});
    refresh();
}

void PastExports::forgetNew()
{
    m_new.clear();
}

void PastExports::refresh()
{
    clear();
    m_shown.clear();
    for (const auto& [run, path] : std::as_const(m_new)) {
        add(run, QDir::cleanPath(path), tr("just now"));
    }
    const ProjectSnapshotPtr snapshot = m_session.runs().snapshot();
    const auto past = exportsOf(*snapshot);
    for (const auto& [run, done] : past) {
        if (m_shown.size() == kMostPast) {
            addWords(tr("%1 older exports are in the run folders.")
                         .arg(formatCount(past.size() + m_new.size() - m_shown.size())));
            break;
        }
        add(done->exporter.isEmpty() ? run->displayName()
                                     : tr("%1 by “%2”").arg(run->displayName(), done->exporter),
            QDir::cleanPath(QDir(run->folder).absoluteFilePath(done->path)),
            formatAgo(done->exportedAt));
    }
    if (m_shown.isEmpty()) {
        setNothing(tr("Exports are listed here."));
    }
}

void PastExports::add(const QString& run, const QString& path, const QString& when)
{
    if (m_shown.contains(path)) {
        return;
    }
    m_shown.insert(path);
    const QString shown = QDir(m_session.project().folder()).relativeFilePath(path);
    QHBoxLayout* row = addRow(tr("Export of %1 in %2").arg(run, shown));
    row->addWidget(makeIcon("folder", Ink::Secondary));
    row->addWidget(new ElidedLabel(shown, TextRole::Code), 1);
    row->addWidget(new Label(QStringList{run, when}.join(QStringLiteral(" · ")), TextRole::Label,
                             Ink::Secondary));
    auto* open = new Button(Button::Kind::Quiet, tr("Open Folder"));
    connect(open, &QPushButton::clicked, this, [this, path] { m_session.showOutside(path); });
    row->addWidget(open);
}

} // namespace cannery::ui
