// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/runs/run_columns.h"
#include "ui/widgets/dialog.h"

class QComboBox;
class QListWidget;
class QListWidgetItem;
class QSpinBox;

namespace cannery::ui {

class SearchField;

/// The columns of the run table, their order, and which value of a metric each shows. Parameters
/// that differ between the runs come first.
class RunsColumnsDialog : public Dialog
{
    Q_OBJECT

public:
    RunsColumnsDialog(const QList<RunColumn>& shown, const ProjectSnapshot& snapshot,
                      QWidget* parent = nullptr);

    /// The ticked columns, including the fixed ones.
    QList<RunColumn> columns() const;

Q_SIGNALS:
    void changed(); ///< applied at once

private:
    void addRows(const QList<RunColumn>& shown, const ProjectSnapshot& snapshot);
    QLayout* makeBottom();
    void addRow(const RunColumn& column, const QString& label, bool ticked);
    void filterRows(const QString& text);
    void moveCurrent(int by);
    void showReducer();
    void takeReducer();
    RunColumn columnOf(const QListWidgetItem& item) const;

    SearchField* m_filter;
    QListWidget* m_list;
    QWidget* m_reducerRow;
    QComboBox* m_reducer;
    QSpinBox* m_step;
    QList<RunColumn> m_columns; ///< by item index
};

} // namespace cannery::ui
