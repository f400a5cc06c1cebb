// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/tables/table_model.h"
#include "ui/models/tables/table_page.h"

namespace cannery::ui {

/// The rows of a table that were left out: where, why, and their text. More are requested as the
/// view scrolls to them. GUI thread.
class LeftOutModel : public TableModel
{
    Q_OBJECT

public:
    static constexpr int kAtOnce = 200;

    using TableModel::TableModel;

    /// Forgets the rows; `total` can be asked for.
    void reset(qint64 total);
    /// The next ones.
    void append(const QList<LeftOutRow>& rows, qint64 first);

    bool canFetchMore(const QModelIndex& parent) const override;
    void fetchMore(const QModelIndex& parent) override;

Q_SIGNALS:
    void moreWanted(qint64 first);

protected:
    qsizetype countRows() const override { return m_rows.size(); }
    qsizetype countColumns() const override;
    QVariant cell(int row, int column, int role) const override;
    QVariant header(int column, int role) const override;
    bool isNumber(int column) const override;

private:
    QList<LeftOutRow> m_rows;
    qint64 m_total = 0;
    qint64 m_asked = 0; ///< how many were asked for
};

} // namespace cannery::ui
