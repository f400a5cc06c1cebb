// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editing/remark_list.h"

#include "ui/document/checked_problems.h"
#include "ui/document/experiment_document.h"
#include "ui/editing/document_query.h"
#include "ui/models/formats.h"
#include "ui/services/projects/project_session.h"
#include "ui/services/runs/run_catalog.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace cannery::ui {
namespace {

const QString kRemarksView = QStringLiteral("remarks"); ///< in the project's store

} // namespace

RemarkList::RemarkList(ProjectSession& session)
    : QObject(&session), m_session(&session), m_preview(&DocumentQuery::preview(session))
{
    setObjectName("remark_list");
    connect(m_preview, &DocumentQuery::changed, this, &RemarkList::take);
    connect(&session.project(), &OpenProject::changed, this, &RemarkList::take);
    connect(&session.runs(), &RunCatalog::snapshotChanged, this, &RemarkList::changed);
    take();
}

RemarkList& RemarkList::of(ProjectSession& session)
{
    auto* list = session.findChild<RemarkList*>("remark_list", Qt::FindDirectChildrenOnly);
    return list != nullptr ? *list : *new RemarkList(session);
}

void RemarkList::take()
{
    if (!m_preview->isRunning()) {
        m_acted.clear();
    }
    m_all = tableRemarksFromJson(m_preview->result());
    Q_EMIT changed();
}

QList<TableRemark> RemarkList::remarks() const
{
    const QStringList gone = dismissed();
    QList<TableRemark> left;
    for (const TableRemark& remark : m_all) {
        if (!gone.contains(remark.key()) && !m_acted.contains(remark.key())) {
            left << remark;
        }
    }
    return left;
}

bool RemarkList::isDismissed(const TableRemark& remark) const
{
    return dismissed().contains(remark.key());
}

void RemarkList::toggleDismissed(const TableRemark& remark)
{
    QStringList keys = dismissed();
    if (keys.removeAll(remark.key()) == 0) {
        keys << remark.key();
    }
    const QJsonObject state{{"dismissed", QJsonArray::fromStringList(keys)}};
    m_session->runs().setViewState(kRemarksView,
                                   QJsonDocument(state).toJson(QJsonDocument::Compact));
    Q_EMIT changed();
}

void RemarkList::setActed(const TableRemark& remark)
{
    m_acted.insert(remark.key());
    Q_EMIT changed();
}

QList<ProblemRow> RemarkList::issues() const
{
    QList<ProblemRow> rows;
    if (!m_preview->error().isEmpty() &&
        problemsOf(m_session->document().problems().all(), QStringLiteral("data")).isEmpty()) {
        rows << ProblemRow{.id = m_preview->errorId().isEmpty() ? QStringLiteral("data.unreadable")
                                                                : m_preview->errorId(),
                           .sentence = m_preview->error(),
                           .page = QStringLiteral("data"),
                           .place = tr("Table")};
    }
    for (const TableRemark& remark : remarks()) {
        rows << ProblemRow{.level =
                               remark.isNote ? ProblemRow::Level::Note : ProblemRow::Level::Warning,
                           .id = remark.id,
                           .sentence = remark.sentence,
                           .page = QStringLiteral("data"),
                           .place = subjectOf(remark),
                           .target = "remark:" + remark.key()};
    }
    return rows;
}

QString RemarkList::subjectOf(const TableRemark& remark)
{
    return remark.columns.isEmpty()
               ? tr("Split")
               : counted(remark.columns.size(), remark.columns.first(), tr("%1 columns"));
}

QStringList RemarkList::dismissed() const
{
    QStringList keys;
    const QByteArray state = m_session->runs().viewState(kRemarksView);
    for (const QJsonValue& key : QJsonDocument::fromJson(state).object()["dismissed"].toArray()) {
        keys << key.toString();
    }
    return keys;
}

} // namespace cannery::ui
