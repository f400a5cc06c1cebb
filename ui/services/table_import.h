// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/command_line.h"
#include "ui/models/new_facts.h"
#include "ui/models/tables/database_tables.h"
#include "ui/models/tables/table_trouble.h"

#include <QList>
#include <QObject>
#include <QString>
#include <QStringList>
#include <QThreadPool>

#include <functional>
#include <optional>

namespace cannery::ui {

class JobRunner;
class Settings;

/// How to read a table that cannot be read with the defaults.
struct TableReading
{
    bool skipsBadRows = false;
    QString delimiter; ///< one character; detected if empty
    QString encoding;  ///< as the schema names it: "cp949"; detected if empty
    RowsChoice rows;   ///< of a database

    bool operator==(const TableReading&) const = default;
};

/// What a project made from a table should be like.
struct ProjectChoices
{
    QString label;          ///< empty if it is guessed, or for clusters
    QString estimator;      ///< "linear"; whichever does best if empty
    QStringList leftOut;    ///< columns not to learn from
    bool bestScore = false; ///< even if a simpler model is hardly worse
    bool isQuick = false;   ///< chooses the model without trying any

    /// Groups of similar rows, which need no label.
    static ProjectChoices clusters();
    bool areClusters() const { return estimator == clusters().estimator; }

    bool operator==(const ProjectChoices&) const = default;
};

/// What `cannery new` reports about a table whose label is to be chosen.
struct LabelQuestion
{
    QString table; ///< absolute
    TableReading reading;
    NewFacts answer;
    ProjectChoices choices; ///< what it was asked with
};

/// Creates projects from tables with `cannery new`: inspects the table, then writes an experiment
/// next to it if that folder is already a project (but no sample), otherwise in a new folder in the
/// user's projects folder; the table is not moved. GUI thread; nothing blocks.
class TableImport : public QObject
{
    Q_OBJECT

public:
    TableImport(JobRunner& jobs, const Settings& settings, QObject* parent = nullptr);
    ~TableImport() override;

    /// The command that makes a project of a table; it writes next to the table.
    CommandLine command(const QString& table, const ProjectChoices& choices,
                        const TableReading& reading) const;
    /// Reads the table: asked(), tableWanted(), troubleChanged() or failed() follow.
    void ask(const QString& table, const TableReading& reading = {},
             const ProjectChoices& choices = {});
    /// Cancels ask().
    void cancel();
    bool isAsking() const { return m_job != 0; }
    const QString& asking() const { return m_asking; }
    /// How it is read.
    const TableReading& askingReading() const { return m_askingReading; }
    /// Writes the experiment: made() or failed() follow. The choices name a label or ask for
    /// clusters. What ask() has found with the same choices is written as it is, without another
    /// search.
    void make(const QString& table, const ProjectChoices& choices, const TableReading& reading);

    /// The same with the usual model for the table, without trying any: made() follows at once, and
    /// then models are tried for the experiment (trying()): found() follows, unless it is skipped.
    void makeAtOnce(const QString& table, const ProjectChoices& choices,
                    const TableReading& reading);
    /// The experiment that models are tried for; empty if there is none.
    const QString& trying() const { return m_trying; }
    /// How many models were tried, "4 of 12"; empty if not known yet.
    QString triedCount() const;
    void skipTrying();

    /// Writes a text from the clipboard as a table into a folder (empty: the user's projects
    /// folder): pasted() or failed() follow.
    void paste(const QString& text, const QString& folder);

    /// Valid since asked().
    const LabelQuestion& question() const { return m_question; }
    /// Why the last table cannot be read; empty if it can.
    const TableTrouble& trouble() const { return m_trouble; }
    /// How it was read then.
    const TableReading& reading() const { return m_reading; }
    void forgetTrouble();
    /// Counts its rows without the bad ones; -1 if that fails too.
    void countRowsWithoutBad(std::function<void(qint64)> counted);

Q_SIGNALS:
    void asked();
    /// The file that ask() was called for is a database with several tables: it is to be called
    /// again with one of them.
    void tableWanted(const QString& file);
    void troubleChanged();
    /// isAsking() has changed.
    void askingChanged();
    void made(const QString& experiment);
    /// trying() has changed.
    void tryingChanged();
    /// The text that a made experiment should have, now that models were tried.
    void found(const QString& experiment, const QByteArray& text);
    void pasted(const QString& table);
    void failed(const QString& sentence, const QString& details);
    /// make() has begun (+1) or ended (-1).
    void working(int change);

private:
    void reportMade(const QString& experiment);
    void tryModels(const QString& experiment);
    void setTrouble(const TableTrouble& trouble, const TableReading& reading);
    /// The text that ask() has found for the same choices; empty if it has found none.
    QByteArray foundText(const QString& table, const ProjectChoices& choices,
                         const TableReading& reading) const;
    void write(const QString& table, const ProjectChoices& choices, const TableReading& reading,
               const QString& output);

    JobRunner& m_jobs;
    const Settings& m_settings;
    LabelQuestion m_question;
    TableTrouble m_trouble;
    TableReading m_reading;
    int m_job = 0;
    QString m_asking; ///< the table that m_job reads
    TableReading m_askingReading;
    std::optional<LabelQuestion> m_toTry; ///< once its experiment is made
    QString m_trying;
    int m_tryingJob = 0;
    QThreadPool m_pool;
};

} // namespace cannery::ui
