// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QStringList>
#include <QWidget>

class QButtonGroup;

namespace cannery::ui {

/// A few views of one thing side by side; one Tab stop, arrow keys inside.
class Segmented : public QWidget
{
    Q_OBJECT

public:
    explicit Segmented(const QStringList& labels, QWidget* parent = nullptr);

    int currentIndex() const;
    void setCurrentIndex(int index);
    int count() const;
    void setLabels(const QStringList& labels);

    QSize sizeHint() const override;

Q_SIGNALS:
    void currentChanged(int index);
    /// Someone clicked on a segment, be it the current one.
    void pressed(int index);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QButtonGroup* m_group;
};

} // namespace cannery::ui
