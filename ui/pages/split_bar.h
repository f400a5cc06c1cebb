// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QWidget>

namespace cannery::ui {

/// The shares of training and evaluation rows: a two-coloured bar and its legend.
class SplitBar : public QWidget
{
    Q_OBJECT

public:
    explicit SplitBar(QWidget* parent = nullptr);

    /// Numbers of rows; -1: not known.
    void setRows(qint64 train, qint64 evaluation);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    static QString legend(const QString& word, qint64 rows, double share);
    QStringList legends() const;
    double trainShare() const; ///< 0 … 1

    qint64 m_train = -1;
    qint64 m_evaluation = -1;
};

} // namespace cannery::ui
