// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QWidget>

namespace cannery::ui {

class Button;
class CheckpointChoice;
class DocumentQuery;
class Label;
class ProjectSession;
class TableView;
class WarmStartModel;

/// A warm start from one of the project's runs, and what the chosen checkpoint gives to this model:
/// which variables each pattern catches, their shapes here and there, and what does not fit.
class WarmStartChoice : public QWidget
{
    Q_OBJECT

public:
    explicit WarmStartChoice(ProjectSession& session, QWidget* parent = nullptr);

private:
    void use();
    void refreshRuns();
    void refreshWords();
    void setUpVariables();

    ProjectSession* m_session;
    DocumentQuery* m_plan;
    QWidget* m_line;
    CheckpointChoice* m_checkpoint;
    Button* m_use;
    Label* m_words;
    Label* m_patterns;
    WarmStartModel* m_model;
    TableView* m_variables;
};

} // namespace cannery::ui
