// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/editing/split_ways.h"
#include "ui/models/tables/column_facts.h"

#include <QWidget>

class QCheckBox;
class QComboBox;
class QLineEdit;
class QMenu;
class QToolButton;

namespace cannery::ui {

class Button;
class Label;
class ProjectSession;
class SplitBar;

/// How the rows are split into training and evaluation rows: the way, what it needs, and the bar
/// that shows and moves the cut. Each change is a step of the document.
class SplitPanel : public QWidget
{
    Q_OBJECT

public:
    explicit SplitPanel(ProjectSession& session, QWidget* parent = nullptr);

    /// Follows the document and what is known of its table.
    void setData(const DataFacts& facts);
    /// Unfolds the choice of ways.
    void choose();

private:
    void addFields(QWidget* row);
    void changeWay(SplitWay way);
    void changeColumn(const QString& column);
    void chooseFile();
    void moveTo(double fraction);
    void refresh();
    void refreshWays();
    void refreshFields();
    void refreshBar();
    void fillValues();
    void toggleValue(const QString& value, bool isEvaluation);
    QString columnNow() const;
    /// The split that draws rows at random: by fraction or by fold.
    QString drawnPath() const;
    void editNumber(QLineEdit* field, const QString& name);

    ProjectSession* m_session;
    DataFacts m_facts;
    SplitWay m_way = SplitWay::None;
    QComboBox* m_ways;
    Label* m_seedWord;
    QLineEdit* m_seed;
    QLineEdit* m_fold;
    Label* m_foldsWord;
    QLineEdit* m_folds;
    QCheckBox* m_stratify;
    QComboBox* m_column;
    QToolButton* m_values;
    QMenu* m_valueMenu;
    QLineEdit* m_from;
    Label* m_file;
    Button* m_chooseFile;
    SplitBar* m_bar;
};

} // namespace cannery::ui
