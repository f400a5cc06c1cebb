// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/export_facts.h"
#include "ui/pages/page.h"

class QLineEdit;
class QStackedWidget;
class QTableView;
class QVBoxLayout;

namespace cannery::ui {

class Button;
class Card;
class CheckpointChoice;
class ElidedLabel;
class EmptyState;
class InspectorSection;
class Label;
class PageHeader;
class Pill;
class ProgressBar;
class Segmented;
class SignatureModel;
class Strip;

/// A SavedModel of a run's checkpoint: what from, what requests carry, where to; it says done only
/// when what was written was read back and predicts the same.
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
    enum class Stage
    {
        Ready,
        Running,
        Done,
        Failed,
    };

    QWidget* makeContent();
    Card* makeForm();
    QWidget* makeResults();
    Card* makeCheck();
    void chooseFolder();
    void refresh();
    void refreshJob();
    void refreshMark();
    void refreshShown();
    void refreshPast();
    void start();
    void forgetOther();
    void refreshHindrance();
    void showStage(Stage stage);
    void showFacts();
    void showSignature(int index);
    void addCheck(bool ok, const QString& what, const QString& detail);
    QString defaultName() const;

    QStackedWidget* m_stack;
    EmptyState* m_empty;
    PageHeader* m_header = nullptr;
    Strip* m_strip = nullptr;
    CheckpointChoice* m_from = nullptr;
    Segmented* m_receiver = nullptr;
    Label* m_receiverHelp = nullptr;
    QLineEdit* m_name = nullptr;
    QLineEdit* m_folder = nullptr;
    Card* m_signatures = nullptr;
    Segmented* m_signatureChoice = nullptr;
    ElidedLabel* m_method = nullptr;
    QTableView* m_tensors = nullptr;
    SignatureModel* m_model = nullptr;
    Pill* m_pill = nullptr;
    Label* m_checkWords = nullptr;
    ProgressBar* m_progress = nullptr;
    Button* m_cancel = nullptr;
    QVBoxLayout* m_checks = nullptr;
    InspectorSection* m_past = nullptr;
    QAction* m_export;
    QAction* m_openFolder;
    Stage m_stage = Stage::Ready;
    ExportFacts m_facts;
    CommandLine m_command;                     ///< that m_facts are of
    QList<std::pair<QString, QString>> m_done; ///< exports of this session: run and path
    int m_job = 0;
};

} // namespace cannery::ui
