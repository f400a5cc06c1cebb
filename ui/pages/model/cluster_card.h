// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/plan_facts.h"
#include "ui/models/runs/cluster_model.h"
#include "ui/widgets/card.h"

class QPlainTextEdit;

namespace cannery::ui {

class Button;
class Label;
class ProjectSession;
class TableView;

/// The tasks of the cluster that the open experiment trains on, as a table, and the TF_CONFIG of
/// the chosen one. Hidden for strategies of one process.
class ClusterCard : public Card
{
    Q_OBJECT

public:
    explicit ClusterCard(ProjectSession& session, QWidget* parent = nullptr);

    void refresh();
    /// How many workers pay.
    void setAdvice(const WorkersFacts& advice);

private:
    void makeTable();
    QWidget* makeButtons();
    QWidget* makeConfig();
    QWidget* makeAdvice();
    Button* makeAddButton(ClusterTask::Type type, const QString& text, const QString& name);
    void take();
    void fitTable();
    void refreshWords();
    void refreshConfig();
    void refreshAdvice();
    int chosenRow() const;

    ProjectSession* m_session;
    ClusterModel m_model;
    Label* m_words;
    TableView* m_table;
    Label* m_problem;
    Button* m_addWorker = nullptr;
    Button* m_addServer = nullptr;
    Button* m_addEvaluator = nullptr;
    Button* m_remove = nullptr;
    Button* m_reset = nullptr;
    Label* m_configTitle = nullptr;
    QPlainTextEdit* m_config = nullptr;
    Button* m_copy = nullptr;
    QWidget* m_advice = nullptr;
    Label* m_adviceWords = nullptr;
    Button* m_adopt = nullptr;
    WorkersFacts m_facts;
};

} // namespace cannery::ui
