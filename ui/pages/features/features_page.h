// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/editing/feature_facts.h"
#include "ui/pages/page.h"

class QAction;
class QMenu;
class QStackedWidget;

namespace cannery::ui {

class Card;
class DocumentQuery;
class EmptyState;
class EncodedPreview;
class FeatureCommands;
class FeatureEditor;
class FeatureListModel;
class FeatureSides;
class FeatureSources;
class FeatureSuggestions;
class FeatureTable;
class PageHeader;
class ProblemList;
class Strip;
class TemplateMenu;

/// What the model sees: the columns of the table, dragged onto the list of feature columns; each
/// feature column with its transformations, size and use, edited in the inspector; and rows as the
/// engine encodes them.
class FeaturesPage : public Page
{
    Q_OBJECT

public:
    explicit FeaturesPage(const PageContext& context, QWidget* parent = nullptr);

    QWidget* inspector() override;
    CommandLine command() const override;
    void reveal(const QString& what) override;

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void makeActions();
    QWidget* makeContent();
    QWidget* makeSources();
    QWidget* makeList();
    void makeTable();
    void refresh();
    void refreshEmpty();
    void refreshProblems();
    void refreshActions();
    void showFeature(const FeatureFacts* feature);
    QStringList wrappedBy(const QString& name) const;
    void dropFeature(const QString& name, FeatureSide side, bool also, const QPoint& where);
    /// A menu below one of the header's buttons, or below the header while that has no room.
    void openBelow(const char* button, QMenu& menu);
    /// So that what an action makes is seen; the palette knows it on every page.
    void comeForward();
    void openMenu(const QPoint& position);
    void openUseMenu(const QModelIndex& index);

    DocumentQuery* m_preview;
    FeatureCommands* m_commands;
    FeatureListModel* m_model;
    FeatureEditor* m_editor;
    TemplateMenu* m_templates;
    QStackedWidget* m_stack;
    EmptyState* m_empty;
    QAction* m_byHand = nullptr;
    QMenu* m_addMenu = nullptr;
    PageHeader* m_header = nullptr;
    Strip* m_strip = nullptr;
    QWidget* m_sourcesSide = nullptr;
    FeatureSources* m_sources = nullptr;
    FeatureSuggestions* m_suggestions = nullptr;
    FeatureTable* m_table = nullptr;
    FeatureSides* m_sides = nullptr;
    Card* m_encodedCard = nullptr;
    EncodedPreview* m_encoded = nullptr;
    ProblemList* m_problems = nullptr;
    bool m_isByHand = false; ///< the empty list is shown, to be filled
    bool m_isRefreshing = false;
    QString m_dataOf; ///< the experiment whose table is shown
    QString m_wanted; ///< the column to select once it is in the list
};

} // namespace cannery::ui
