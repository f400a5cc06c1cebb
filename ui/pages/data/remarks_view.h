// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/tables/table_remark.h"
#include "ui/pages/page.h"

#include <QList>
#include <QStringList>
#include <QWidget>

class QAction;
class QHBoxLayout;
class QScrollArea;
class QVBoxLayout;

namespace cannery::ui {

class DocumentQuery;
class LinkLabel;
class RemarkList;
class Strip;

/// What the engine remarks on the open experiment's table: a strip that says how many decisions
/// there are, and a list with what can be done about each. Notes alone are only mentioned. What is
/// dismissed stays dismissed in this project, and can be looked at again.
class RemarksView : public QWidget
{
    Q_OBJECT

public:
    explicit RemarksView(const PageContext& context, QWidget* parent = nullptr);

    /// Unfolds the list.
    void setOpen(bool open);
    /// Unfolds the list and focuses what can be done about a remark; false if it is not there.
    bool reveal(const QString& key);

Q_SIGNALS:
    /// The user wants to split the rows in another way.
    void splitWanted();

private:
    void refresh();
    void fill();
    void addRow(const TableRemark& remark);
    void addActions(const TableRemark& remark, QHBoxLayout& line);
    void act(const TableRemark& remark, const RemarkAction& action);
    QString closing(qsizetype notes, qsizetype dismissed) const;

    PageContext m_context;
    DocumentQuery* m_preview;
    RemarkList* m_remarks;
    QAction* m_review;
    Strip* m_strip;
    QWidget* m_list;
    QVBoxLayout* m_rows;
    QScrollArea* m_area; ///< the list's
    LinkLabel* m_more;
    QList<TableRemark> m_shown;   ///< in the list now
    QStringList m_shownDismissed; ///< keys of those of them that are
    bool m_isOpen = false;
    bool m_showsDismissed = false;
};

} // namespace cannery::ui
