// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/new_facts.h"
#include "ui/services/table_import.h"

#include <QHash>
#include <QObject>

#include <optional>

namespace cannery::ui {

class ProjectSession;
class TrainOnceOpen;

/// The answers of a guided run and what `cannery new` makes of them: the table is read, then a
/// label proposed, then models are tried in the background. Nothing is written before train(). GUI
/// thread.
class GuidedRun : public QObject
{
    Q_OBJECT

public:
    explicit GuidedRun(ProjectSession& session, QObject* parent = nullptr);

    /// `rows`: which of its tables, of a database that has several; without it, tableWanted() may
    /// follow.
    void setTable(const QString& table, const RowsChoice& rows = {});
    void setLabel(const QString& column);
    /// No column is predicted: groups of similar rows are found.
    void setClusters();
    void setWanted(const QString& column, bool isWanted);
    /// The family of the model; the one with the best score if empty.
    void setFamily(const QString& family);
    /// Creates the project and trains it once it is open: begun() follows, or problem() has the
    /// reason.
    void train();
    /// The command that makes the same project; empty without a label, unless clusters are found.
    CommandLine command() const;
    /// Forgets everything.
    void reset();

    const QString& table() const { return m_table; } ///< absolute; empty if there is none
    const RowsChoice& chosenRows() const { return m_reading.rows; }
    /// A database whose table has not been chosen yet; empty if there is none.
    const QString& undecided() const { return m_undecided; }
    bool isReading() const { return m_asking == Asking::Table; }
    bool isTrying() const { return m_asking == Asking::Columns || m_asking == Asking::Model; }
    bool isBeginning() const;
    /// Whether the table was read.
    bool hasTable() const { return !m_facts.isEmpty(); }
    const DataFacts& facts() const { return m_facts; }
    qint64 rows() const { return m_rows; }
    const QString& guess() const { return m_guess; }
    const QString& guessReason() const { return m_guessReason; }
    const QString& label() const { return m_choices.label; }
    bool areClusters() const { return m_choices.areClusters(); }
    /// "binary classification"; empty if it is not known yet or the label cannot be predicted.
    const QString& task() const { return m_task; }
    /// Why the label cannot be predicted, a sentence.
    const QString& labelProblem() const { return m_labelProblem; }
    /// Columns by name: those that the engine leaves out, and its remarks about others.
    const QHash<QString, QString>& leftOut() const { return m_leftOut; }
    const QHash<QString, QString>& remarks() const { return m_remarks; }
    const QHash<QString, QString>& warnings() const { return m_warnings; }
    const QStringList& unwanted() const { return m_choices.leftOut; }
    const QList<ModelKindFacts>& kinds() const { return m_kinds; }
    const ModelKindFacts* kind(const QString& family) const;
    const QString& chosen() const { return m_chosen; } ///< a family; empty if not known yet
    /// Whether somebody chose it.
    bool isOwnChoice() const { return !m_choices.estimator.isEmpty(); }
    std::optional<double> guessLoss() const { return m_guessLoss; }
    std::optional<double> seconds() const { return m_seconds; }
    /// What went wrong, a sentence; empty if nothing did.
    const QString& problem() const { return m_problem; }
    /// The table's text needs a remedy that the Data page offers.
    bool needsRemedy() const { return !m_import.trouble().isEmpty(); }
    TableImport& tables() { return m_import; }

Q_SIGNALS:
    void changed();
    /// undecided() is one.
    void tableWanted();
    /// A training has begun; everything is forgotten.
    void begun();

private:
    enum class Asking
    {
        Nothing,
        Table,
        Columns, ///< what the label makes of the columns, at once
        Model,   ///< which model suits, by trying
    };

    void ask(Asking what);
    void answer();
    void takeTable();
    void takeColumns(const NewFacts& found);
    void takeModel(const NewFacts& found);
    void forgetModels();
    /// Asks anew, for another label or none.
    void askForTask();
    void fail(const QString& sentence);

    ProjectSession* m_session;
    TableImport m_import;
    Asking m_asking = Asking::Nothing;
    QString m_table;
    QString m_undecided;
    TableReading m_reading;
    ProjectChoices m_choices{.bestScore = true};
    DataFacts m_facts;
    qint64 m_rows = 0;
    QString m_guess;
    QString m_guessReason;
    QString m_task;
    QString m_labelProblem;
    QHash<QString, QString> m_leftOut;
    QHash<QString, QString> m_remarks;
    QHash<QString, QString> m_warnings;
    QList<ModelKindFacts> m_kinds;
    QString m_chosen;
    std::optional<double> m_guessLoss;
    std::optional<double> m_seconds;
    QString m_problem;
    bool m_isMaking = false;
    TrainOnceOpen* m_training;
};

} // namespace cannery::ui
