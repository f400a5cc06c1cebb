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
    /// For the widths of columns: measuring every row of hundreds of columns would stop the window.
    /// Also for a header that replaces the view's own.
    static constexpr int kRowsMeasured = 24;

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
