// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QAbstractButton>

namespace cannery::ui {

/// The heading of a group of charts: chevron, title, count; a click folds and unfolds.
class ChartGroupHeader : public QAbstractButton
{
    Q_OBJECT

public:
    explicit ChartGroupHeader(QWidget* parent = nullptr);

    void present(const QString& title, qsizetype shown, qsizetype all, bool isFolded);

    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_count;
};

} // namespace cannery::ui
