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

Q_SIGNALS:
    void currentChanged(int index);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QButtonGroup* m_group;
};

} // namespace cannery::ui
