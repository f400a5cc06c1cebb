// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/experiment_difference.h"

#include <QWidget>

class QGridLayout;

namespace cannery::ui {

/// Fields that differ, grouped by what they belong to: label, old value, new value.
class ChangeList : public QWidget
{
    Q_OBJECT

public:
    explicit ChangeList(QWidget* parent = nullptr);

    void setChanges(const QList<ExperimentChange>& changes);

private:
    void addChange(const ExperimentChange& change, int row);

    QGridLayout* m_rows;
};

/// "One field differs.", "4 fields differ."
QString changesSentence(qsizetype count);

} // namespace cannery::ui
