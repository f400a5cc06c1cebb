// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/problem_row.h"

#include <QList>
#include <QMap>
#include <QObject>

#include <functional>

namespace cannery::ui {

class ExperimentText;

/// What is wrong with the open experiment: the problems of its text, what `cannery check` has found
/// in it, and what was typed but cannot be written. GUI thread.
class ExperimentProblems : public QObject
{
    Q_OBJECT

public:
    /// The title of a problem's cure; empty if there is none.
    using CureTitle = std::function<QString(const ProblemRow&)>;

    ExperimentProblems(const ExperimentText& text, CureTitle cureTitle);

    const QList<ProblemRow>& all() const { return m_all; }
    bool hasErrors() const;
    /// The first problem of a field or of anything in it, errors first; null: none. Valid until
    /// changed().
    const ProblemRow* at(const QString& path) const;
    /// Sets what `cannery check` found in the text of this revision; ignored if it is outdated.
    void setChecked(quint64 revision, const QList<ProblemRow>& problems);

    void reset();
    /// Of a new text; publish() makes them known.
    void setRead(const QList<ProblemRow>& problems);
    /// Input that the text cannot hold, until its path gets another value.
    void setUnwritten(const ProblemRow& problem);
    /// False: there was none.
    bool forgetUnwritten(const QString& path) { return m_unwritten.remove(path) > 0; }
    void forgetAllUnwritten() { m_unwritten.clear(); }
    void publish();

Q_SIGNALS:
    void changed();

private:
    const ExperimentText& m_text;
    CureTitle m_cureTitle;
    QList<ProblemRow> m_read;
    QList<ProblemRow> m_checked;
    QMap<QString, ProblemRow> m_unwritten; ///< by path
    QList<ProblemRow> m_all;
};

} // namespace cannery::ui
