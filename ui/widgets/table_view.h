// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QTableView>

namespace cannery::ui {

/// The workbench's tables: hairlines only between rows, rows of equal height, selection of whole
/// rows, scrolling by pixels.
class TableView : public QTableView
{
    Q_OBJECT

public:
    enum class Rows
    {
        Data,     ///< 26
        Features, ///< 34
        Runs,     ///< 46, two lines
    };

    explicit TableView(Rows rows = Rows::Data, QWidget* parent = nullptr);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void followTheme();

    Rows m_rows;
};

} // namespace cannery::ui
