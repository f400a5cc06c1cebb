// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/export_facts.h"
#include "ui/widgets/card.h"

class QVBoxLayout;

namespace cannery::ui {

class Button;
class Label;
class Pill;
class ProgressBar;

enum class ExportStage
{
    Ready,
    Running,
    Done,
    Failed,
};

/// The progress of an export, and how the written model compares with the checkpoint.
class ExportCheckCard : public Card
{
    Q_OBJECT

public:
    explicit ExportCheckCard(QWidget* parent = nullptr);

    void setStage(ExportStage stage);
    /// While it runs; negative if the progress is unknown.
    void setProgress(double fraction, const QString& message);
    /// After Done. Paths are shown relative to the project folder.
    void setFacts(const ExportFacts& facts, const QString& projectFolder);

Q_SIGNALS:
    void cancelRequested();

private:
    void addCheck(bool ok, const QString& what, const QString& detail);

    Pill* m_pill;
    Label* m_words;
    ProgressBar* m_progress;
    Button* m_cancel;
    QVBoxLayout* m_checks;
};

} // namespace cannery::ui
