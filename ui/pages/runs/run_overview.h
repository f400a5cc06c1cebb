// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/runs/run_snapshot.h"
#include "ui/pages/page.h"

#include <QWidget>

namespace cannery::ui {

class Card;
class EvaluationCards;
class KeyValueList;
class Label;
class NotesEditor;
class TagChips;
class WhatNow;
struct EvaluationTable;
struct RunFilesRead;

/// An overview of a run: next steps, facts, evaluation, files, notes and tags.
class RunOverview : public QWidget
{
    Q_OBJECT

public:
    explicit RunOverview(const PageContext& context, QWidget* parent = nullptr);

    void showRun(const ProjectSnapshot& snapshot, const RunRow& run);
    void showFiles(const QString& folder, const RunFilesRead& files);
    void clearFiles();

private:
    void showEvaluation(const RunRow& run);
    void showNumbers(const RunRow& run);
    void readTables(const RunRow& run);
    void showTables(const QList<EvaluationTable>& tables);

    QString m_run;
    WhatNow* m_whatNow;
    NotesEditor* m_notes;
    TagChips* m_tags;
    KeyValueList* m_facts;
    Card* m_evaluationCard;
    Label* m_verdict;
    KeyValueList* m_evaluation;
    EvaluationCards* m_tables;
    QStringList m_tableNames;              ///< whose numbers are not repeated among the others
    std::pair<QString, qint64> m_tablesOf; ///< the folder and step that they were read of
    KeyValueList* m_files;
};

} // namespace cannery::ui
