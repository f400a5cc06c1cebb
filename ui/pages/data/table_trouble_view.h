// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/tables/table_trouble.h"
#include "ui/services/joined_table.h"
#include "ui/services/table_lines.h"

#include <QWidget>

#include <optional>

class QAction;
class QComboBox;
class QVBoxLayout;

namespace cannery::ui {

class Button;
class Card;
class Label;
class Pill;

/// Why a table cannot be read: the bad line with its neighbours, and the ways to continue, each
/// with its effect. It only emits the choice; others carry it out.
class TableTroubleView : public QWidget
{
    Q_OBJECT

public:
    explicit TableTroubleView(QWidget* parent = nullptr);

    /// Shows the trouble with the lines known so far; `isInProject`: the choice is saved in an
    /// experiment file.
    void setTrouble(const TableTrouble& trouble, bool isInProject);
    /// Why no choice can be saved, a sentence; empty if one can.
    void setHindrance(const QString& hindrance);
    const TableTrouble& trouble() const { return m_trouble; }
    void setLines(const TableLines& lines);
    /// Whether a copy of the file may be written in which values are joined, and what separates
    /// values in it; a null character: what most likely does.
    void setJoinable(bool isJoinable, QChar delimiter);
    /// What joining would do; empty if these values are none.
    std::optional<ValueJoin> join() const;
    /// What countJoins() reports about join().
    void setJoins(const JoinedTable& joins);
    /// The number of rows that are read if bad lines are skipped; -1: not known yet.
    void setRowsWhenSkipped(qint64 rows);

Q_SIGNALS:
    void skipWanted();
    /// join() has changed.
    void joinChanged();
    void joinWanted();
    void delimiterWanted(QChar delimiter);
    /// As the schema names it: "cp949".
    void encodingWanted(const QString& encoding);
    void locateWanted();

private:
    struct Way
    {
        Card* card = nullptr;
        Label* title = nullptr;
        Label* words = nullptr;
        Label* becomesTitle = nullptr;
        Label* becomes = nullptr;
        Label* foot = nullptr;
        Button* button = nullptr;
    };

    Way addWay(const QString& name, const QString& title, const QString& button);
    void addEncodings();
    void showLines();
    void addJoin();
    void fillJoin();
    void showJoin();
    QChar delimiterOfFile() const;
    void showDelimiter();
    QString badLine() const;

    TableTrouble m_trouble;
    TableLines m_lines;
    qint64 m_rows = -1;
    Card* m_lineCard;
    QVBoxLayout* m_lineRows;
    Label* m_waysTitle;
    QWidget* m_ways;
    Way m_join;
    Way m_skip;
    Way m_delimiter;
    Way m_encoding;
    Way m_locate;
    QComboBox* m_joined;
    Pill* m_recommended;
    bool m_isJoinable = false;
    QChar m_fileDelimiter;
    QComboBox* m_delimiters;
    QComboBox* m_encodings;
    Label* m_note;
};

} // namespace cannery::ui
