// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/table_trouble.h"
#include "ui/services/table_lines.h"

#include <QWidget>

class QAction;
class QComboBox;
class QVBoxLayout;

namespace cannery::ui {

class Button;
class Card;
class Label;

/// What stands in the way of a table: the line that cannot be read among its neighbours, and the
/// ways to go on, each with what it would do. It only asks: what is chosen is done by others.
class TableTroubleView : public QWidget
{
    Q_OBJECT

public:
    explicit TableTroubleView(QWidget* parent = nullptr);

    /// Shows it with the lines as far as they are known; `isInProject`: the choice is kept in an
    /// experiment file.
    void setTrouble(const TableTrouble& trouble, bool isInProject);
    /// Why no choice can be kept, a sentence; empty when one can.
    void setHindrance(const QString& hindrance);
    const TableTrouble& trouble() const { return m_trouble; }
    void setLines(const TableLines& lines);
    /// How many rows are read when such lines are left out; below 0: not known yet.
    void setRowsWhenSkipped(qint64 rows);

Q_SIGNALS:
    void skipWanted();
    void delimiterWanted(QChar delimiter);
    void latin1Wanted();
    void locateWanted();

private:
    struct Way
    {
        Card* card = nullptr;
        Label* words = nullptr;
        Label* becomesTitle = nullptr;
        Label* becomes = nullptr;
        Label* foot = nullptr;
        Button* button = nullptr;
    };

    Way addWay(const QString& name, const QString& title, const QString& button);
    void showLines();
    void showDelimiter();
    QString badLine() const;

    TableTrouble m_trouble;
    TableLines m_lines;
    qint64 m_rows = -1;
    Card* m_lineCard;
    QVBoxLayout* m_lineRows;
    Label* m_waysTitle;
    QWidget* m_ways;
    Way m_skip;
    Way m_delimiter;
    Way m_latin1;
    Way m_locate;
    QComboBox* m_delimiters;
    Label* m_note;
};

} // namespace cannery::ui
