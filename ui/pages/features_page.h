// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/pages/page.h"

class QAction;
class QMenu;
class QStackedWidget;
class QTableView;

namespace cannery::ui {

class DocumentQuery;
class EmptyState;
class EncodedPreview;
class FeatureCommands;
class FeatureEditor;
class FeatureListModel;
class FeatureSources;
class FeatureSuggestions;
class PageHeader;
class ProblemList;
class Strip;
struct FeatureFacts;

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
    /// Keys, drops and menus of the list.
    bool eventFilter(QObject* watched, QEvent* event) override;

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
    const FeatureFacts* current() const;
    bool pressKey(int key, Qt::KeyboardModifiers modifiers);
    bool isColumnKey(int key, Qt::KeyboardModifiers modifiers) const;
    bool takeDrag(QEvent* event);
    void openMenu(const QPoint& position);
    void openUseMenu(const QModelIndex& index);

    DocumentQuery* m_preview;
    FeatureCommands* m_commands;
    FeatureListModel* m_model;
    FeatureEditor* m_editor;
    QStackedWidget* m_stack;
    EmptyState* m_empty;
    QAction* m_add = nullptr;
    QAction* m_addCross = nullptr;
    QAction* m_suggest = nullptr;
    QAction* m_byHand = nullptr;
    QMenu* m_addMenu = nullptr;
    PageHeader* m_header = nullptr;
    Strip* m_strip = nullptr;
    QWidget* m_sourcesSide = nullptr;
    FeatureSources* m_sources = nullptr;
    FeatureSuggestions* m_suggestions = nullptr;
    QTableView* m_table = nullptr;
    EncodedPreview* m_encoded = nullptr;
    ProblemList* m_problems = nullptr;
    bool m_isByHand = false; ///< the empty list is shown, to be filled
    QString m_wanted;        ///< the column to select once it is in the list
};

} // namespace cannery::ui
