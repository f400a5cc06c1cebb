// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QTableView>

namespace cannery::ui {

/// A table of the workbench: hairlines between rows only, rows of one height, whole rows selected,
/// scrolled by pixels.
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
