// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/editing/guided_run.h"
#include "ui/pages/page.h"

class QLineEdit;
class QScrollArea;

namespace cannery::ui {

class Button;
class FlowLayout;
class GuidedColumnsModel;
class GuidedSection;
class Label;
class LinkLabel;
class Strip;
class TableView;
class TileGallery;

/// From a table to a training run on one page, for somebody who has never done this: five folded
/// questions, each with an answer proposed, and Train at the end.
class GuidedPage : public Page
{
    Q_OBJECT

public:
    explicit GuidedPage(const PageContext& context, QWidget* parent = nullptr);

    /// "table:<path>": begins with this table.
    void reveal(const QString& what) override;
    CommandLine command() const override;

private:
    enum Section
    {
        Table,
        Question,
        Columns,
        Model,
        Train,
    };

    QWidget* makeTable();
    QWidget* makeQuestion();
    QWidget* makeColumns();
    QWidget* makeModel();
    QWidget* makeTrain();
    void addSection(const QString& id, const QString& title, QWidget* content, const QString& next);
    TableView* makeColumnView(GuidedColumnsModel& model, const QString& name,
                              const QString& accessibleName);
    void open(int section);
    void chooseFile();
    /// Which table of a database is meant.
    void chooseRows(const QString& database);
    void refreshSamples();
    void refresh();
    void refreshTable();
    void refreshQuestion();
    void refreshColumns();
    void refreshModel();
    void refreshTrain();
    void refreshProblem();
    QString modelWords() const;
    QString labelHindrance() const;

    GuidedRun m_run;
    Strip* m_strip;
    QScrollArea* m_area;
    QList<GuidedSection*> m_sections;
    QLineEdit* m_table = nullptr;
    FlowLayout* m_samples = nullptr;
    QWidget* m_samplesRow = nullptr;
    LinkLabel* m_tableWords = nullptr;
    GuidedColumnsModel* m_labels;
    TableView* m_labelView = nullptr;
    Label* m_labelWords = nullptr;
    Button* m_clusters = nullptr;
    GuidedColumnsModel* m_columns;
    Label* m_columnWords = nullptr;
    TileGallery* m_kinds = nullptr;
    Label* m_modelWords = nullptr;
    Label* m_trainWords = nullptr;
    Button* m_train = nullptr;
    int m_open = 0;
    QString m_shownTable; ///< whose columns the lists show
};

} // namespace cannery::ui
