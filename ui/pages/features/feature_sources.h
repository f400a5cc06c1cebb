// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/tables/column_facts.h"

#include <QListWidget>

namespace cannery::ui {

/// The columns of the table beside the feature columns: dragged onto them, or chosen with Enter,
/// to be added. GUI thread.
class FeatureSources : public QListWidget
{
    Q_OBJECT

public:
    explicit FeatureSources(QWidget* parent = nullptr);

    void setData(const DataFacts& data);
    QString current() const;

Q_SIGNALS:
    void chosen(const QString& column);

protected:
    QStringList mimeTypes() const override;
    QMimeData* mimeData(const QList<QListWidgetItem*>& items) const override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QList<ColumnFacts> m_columns;
};

} // namespace cannery::ui
