// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/export_facts.h"
#include "ui/pages/page.h"

class QStackedWidget;

namespace cannery::ui {

class EmptyState;
class ExportCheckCard;
class ExportForm;
class PageHeader;
class PastExports;
class SignatureCard;
class Strip;
enum class ExportStage;

/// Exports a run's checkpoint as a SavedModel: from which checkpoint, with what request format, to
/// which folder. Reports success only once the written model was read back and predicts the same.
class ExportPage : public Page
{
    Q_OBJECT

public:
    explicit ExportPage(const PageContext& context, QWidget* parent = nullptr);

    CommandLine command() const override;
    /// "run:run-012" or "run:run-012@500".
    void reveal(const QString& what) override;
    QByteArray saveState() const override;
    void restoreState(const QByteArray& state) override;

private:
    QWidget* makeContent();
    QWidget* makeResults();
    void refresh();
    void refreshJob();
    void refreshMark();
    void refreshShown();
    void start();
    void forgetOther();
    void refreshHindrance();
    void showStage(ExportStage stage);
    QString defaultName() const;

    QStackedWidget* m_stack;
    EmptyState* m_empty;
    PageHeader* m_header = nullptr;
    Strip* m_strip = nullptr;
    ExportForm* m_form = nullptr;
    SignatureCard* m_signatures = nullptr;
    ExportCheckCard* m_check = nullptr;
    PastExports* m_past = nullptr;
    QAction* m_export;
    QAction* m_openFolder;
    ExportStage m_stage{};
    ExportFacts m_facts;
    CommandLine m_command; ///< the command that m_facts belong to
    int m_job = 0;
};

} // namespace cannery::ui
