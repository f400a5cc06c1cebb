// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/pages/page.h"

class QStackedWidget;
class QTableView;

namespace cannery::ui {

class DocumentQuery;
class EmptyState;
class EncodedPreview;
class FeatureListModel;
class KeyValueList;
class Label;
class PageHeader;
class ProblemList;
class Strip;
struct FeatureFacts;

/// What the model sees: every feature column with its transformations and its size, and rows as the
/// engine encodes them. Read-only.
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

private:
    QWidget* makeContent();
    QWidget* makeInspector();
    void refresh();
    void refreshProblems();
    void showFeature(const FeatureFacts* feature);

    DocumentQuery* m_preview;
    FeatureListModel* m_model;
    QStackedWidget* m_stack;
    EmptyState* m_empty;
    PageHeader* m_header = nullptr;
    Strip* m_strip = nullptr;
    QTableView* m_table = nullptr;
    EncodedPreview* m_encoded = nullptr;
    ProblemList* m_problems = nullptr;
    QWidget* m_inspector = nullptr;
    Label* m_name = nullptr;
    Label* m_help = nullptr;
    KeyValueList* m_facts = nullptr;
};

} // namespace cannery::ui
