// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/tables/component_facts.h"

#include <QWidget>

namespace cannery::ui {

class AdaptiveRow;
class Card;
class DocumentQuery;
class KeyValueList;
class LinkLabel;
class LoadingsModel;
class ProjectSession;
class ScatterCard;
class TableView;

/// The numeric columns of the training table by their principal components: where its rows lie,
/// coloured by their label, which share of the variance each component has, and how closely each
/// column follows it. The engine reads the table while this is shown. GUI thread.
class ComponentsView : public QWidget
{
    Q_OBJECT

public:
    explicit ComponentsView(ProjectSession& session, QWidget* parent = nullptr);

    /// What is being done, what was compared, or why nothing can be; the owner places it.
    QWidget* words() const;
    const TableComponentFacts& facts() const { return m_facts; }

Q_SIGNALS:
    /// The person chose this column of the table.
    void columnChosen(const QString& column);

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    QWidget* makeSide();
    void refresh();
    void refreshWords();
    QString sentence() const;
    void take(const TableComponentFacts& facts);
    void fitColumns();

    DocumentQuery* m_query;
    LinkLabel* m_words;
    AdaptiveRow* m_parts;
    ScatterCard* m_scatter;
    Card* m_variance;
    KeyValueList* m_shares;
    LoadingsModel* m_model;
    TableView* m_columns;
    TableComponentFacts m_facts;
};

} // namespace cannery::ui
