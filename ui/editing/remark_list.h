// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/problem_row.h"
#include "ui/models/tables/table_remark.h"

#include <QList>
#include <QObject>
#include <QSet>
#include <QString>
#include <QStringList>

namespace cannery::ui {

class DocumentQuery;
class ProjectSession;

/// What the engine remarks on the open experiment's table, as far as its preview was asked for, and
/// which of it the user has dismissed; that is kept with the project. GUI thread.
class RemarkList : public QObject
{
    Q_OBJECT

public:
    /// The one of the session, shared by all that shows remarks.
    static RemarkList& of(ProjectSession& session);

    const QList<TableRemark>& all() const { return m_all; }
    /// Those that are neither dismissed nor being acted upon.
    QList<TableRemark> remarks() const;
    bool isDismissed(const TableRemark& remark) const;
    /// Dismisses a remark, or takes that back.
    void toggleDismissed(const TableRemark& remark);
    /// It has been acted upon: hidden until the engine has looked again.
    void setActed(const TableRemark& remark);
    /// remarks() as issues, each with what the Data page reveals.
    QList<ProblemRow> issues() const;

    /// "zip", or "3 columns".
    static QString subjectOf(const TableRemark& remark);

Q_SIGNALS:
    void changed();

private:
    explicit RemarkList(ProjectSession& session);
    void take();
    QStringList dismissed() const;

    ProjectSession* m_session;
    DocumentQuery* m_preview;
    QList<TableRemark> m_all;
    QSet<QString> m_acted; ///< keys
};

} // namespace cannery::ui
