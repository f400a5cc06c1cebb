// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/table_remark.h"
#include "ui/pages/page.h"

#include <QList>
#include <QSet>
#include <QWidget>

class QHBoxLayout;
class QVBoxLayout;

namespace cannery::ui {

class DocumentQuery;
class LinkLabel;
class Strip;

/// What the engine remarks on the open experiment's table: a strip that says how many decisions
/// there are, and a list with what can be done about each. Notes alone are only mentioned. What is
/// dismissed stays dismissed in this project, and can be looked at again.
class RemarksView : public QWidget
{
    Q_OBJECT

public:
    explicit RemarksView(const PageContext& context, QWidget* parent = nullptr);

    /// Those that are neither dismissed nor being acted upon.
    QList<TableRemark> remarks() const;
    /// Unfolds the list.
    void setOpen(bool open);

Q_SIGNALS:
    /// The user wants to split the rows in another way.
    void splitWanted();

private:
    void refresh();
    void fill();
    void addRow(const TableRemark& remark);
    void addActions(const TableRemark& remark, QHBoxLayout& line);
    void act(const TableRemark& remark, const RemarkAction& action);
    void dismiss(const TableRemark& remark);
    QStringList dismissed() const;
    void setDismissed(const QStringList& keys);
    QString closing(qsizetype notes, qsizetype dismissed) const;

    PageContext m_context;
    DocumentQuery* m_preview;
    QAction* m_review;
    Strip* m_strip;
    QWidget* m_list;
    QVBoxLayout* m_rows;
    QWidget* m_area; ///< the list's
    LinkLabel* m_more;
    QList<TableRemark> m_all;
    QList<TableRemark> m_shown; ///< in the list now
    QSet<QString> m_acted;      ///< keys, until the engine has looked again
    bool m_isOpen = false;
    bool m_showsDismissed = false;
};

} // namespace cannery::ui
