// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QWidget>

namespace cannery::ui {

class Button;
class Label;
class LinkLabel;
class ProgressBar;
class SearchField;

/// Plain words followed by a link, for a LinkLabel.
QString withLink(const QString& words, const QString& target, const QString& link);

/// The line above the rows of a table: what they are filtered by, which ones are shown, what is
/// being done with its progress and a way to cancel it, and how many rows were left out.
class RowsLine : public QWidget
{
    Q_OBJECT

public:
    explicit RowsLine(QWidget* parent = nullptr);

    QWidget* filterField() const;
    QString filter() const;
    /// Shows this filter, without a word to others.
    void setFilter(const QString& filter);
    /// Begins a filter by this text, for the user to go on.
    void beginFilter(const QString& text);
    /// What is wrong with the filter as it stands; empty if nothing is.
    void setFilterProblem(const QString& sentence);
    /// Whether rows can be filtered at all.
    void setUsable(bool usable);

    /// "1–200 of 21,406", with a link to cancel what still goes on.
    void setWords(const QString& words, bool canCancel = false);
    /// Instead of the words; a negative share is unknown.
    void setWork(const QString& doing, double share);
    /// A sentence with a link to do it again.
    void setFailure(const QString& sentence, const QString& link);
    void setLeftOut(qint64 rows);

Q_SIGNALS:
    /// At every change of the text.
    void filterEdited(const QString& filter);
    /// Once nobody types any more.
    void filterWanted(const QString& filter);
    void cancelWanted();
    void againWanted();
    void leftOutToggled(bool shown);

private:
    void makeRow();
    void followFilter();

    SearchField* m_filter;
    Label* m_problem;
    LinkLabel* m_words;
    ProgressBar* m_progress;
    Button* m_leftOut;
};

} // namespace cannery::ui
