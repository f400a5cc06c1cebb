// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/runs/run_snapshot.h"
#include "ui/models/tables/component_facts.h"

#include <QWidget>

#include <functional>

class QComboBox;
class QJsonObject;

namespace cannery::ui {

class AdaptiveRow;
class Button;
class EmbeddingRowsModel;
class JobRunner;
class Label;
class ScatterCard;
class TableView;

/// The tables of embeddings in a run's last checkpoint, one at a time: its rows along their first
/// two principal components, with what they stand for, and the way to TensorBoard's projector. The
/// engine is asked while it is shown. GUI thread.
class RunEmbeddings : public QWidget
{
    Q_OBJECT

public:
    explicit RunEmbeddings(JobRunner& jobs, QWidget* parent = nullptr);

    void showRun(const RunRow& run);
    /// As TagMatcher, among the texts of the rows.
    void setFilter(const QString& text);
    /// The variable of the chosen table; empty if there is none yet.
    QString table() const { return m_wanted; }
    void chooseTable(const QString& variable);
    ScatterCard& scatter() { return *m_scatter; }
    /// Writes the table into this new folder for the projector.
    void exportTo(const QString& folder);

Q_SIGNALS:
    /// By the person.
    void tableChosen();

protected:
    void showEvent(QShowEvent* event) override;

private:
    void makeRows();
    void arrange();
    void ask();
    void askTable();
    void takeTables(const QList<EmbeddingTable>& tables);
    void take(const EmbeddingFacts& facts);
    void clear(const QString& sentence);
    void showMessage(const QString& sentence, bool isProblem = false);
    void chooseRow(qsizetype point);
    void askForFolder();
    /// Runs `cannery inspect` on the run; `done` is not called once another run is shown.
    void inspect(const QStringList& words, std::function<void(const QJsonObject&)> done);

    JobRunner* m_jobs;
    QComboBox* m_tables;
    Button* m_export;
    Label* m_state;
    AdaptiveRow* m_parts;
    ScatterCard* m_scatter;
    EmbeddingRowsModel* m_model;
    TableView* m_rows;
    RunRow m_run;
    QString m_asked; ///< run folder and step that the engine was asked about
    QString m_wanted;
    EmbeddingFacts m_facts;
};

} // namespace cannery::ui
