#pragma once

#include "ui/models/column_facts.h"
#include "ui/pages/page.h"

class QStackedWidget;
class QTableView;

namespace cannery::ui {

class ColumnInspector;
class DocumentQuery;
class EmptyState;
class HistogramHeader;
class Label;
class LinkLabel;
class PageHeader;
class ProblemList;
class RowsPreviewModel;
class SplitBar;
class Strip;

/// The table as the engine reads it: columns with their distributions, first rows, split, what is
/// wrong with it. Read-only; the experiment file is where it is changed.
class DataPage : public Page
{
    Q_OBJECT

public:
    explicit DataPage(const PageContext& context, QWidget* parent = nullptr);

    QWidget* inspector() override;
    CommandLine command() const override;
    void reveal(const QString& what) override;

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    QWidget* makeContent();
    void refresh();
    void refreshProblems();
    void refreshMark();
    void selectColumn(int column);

    DocumentQuery* m_preview;
    RowsPreviewModel* m_model;
    QStackedWidget* m_stack;
    EmptyState* m_empty;
    PageHeader* m_header = nullptr;
    Strip* m_strip = nullptr;
    QTableView* m_table = nullptr;
    HistogramHeader* m_columns = nullptr;
    LinkLabel* m_waiting = nullptr;
    Label* m_split = nullptr;
    SplitBar* m_splitBar = nullptr;
    ProblemList* m_problems = nullptr;
    ColumnInspector* m_inspector;
    QAction* m_copyDetails;
};

} // namespace cannery::ui
