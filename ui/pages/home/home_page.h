// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/pages/page.h"

class QVBoxLayout;

namespace cannery::ui {

class UpdateThrottle;
class FlowLayout;
class RecentRow;
class Strip;
class TrainOnceOpen;

/// The start page: recent projects, samples, opening anything. One press opens a sample and trains
/// it.
class HomePage : public Page
{
    Q_OBJECT

public:
    explicit HomePage(const PageContext& context, QWidget* parent = nullptr);

protected:
    void showEvent(QShowEvent* event) override;

private:
    QWidget* makeTop();
    QWidget* makeContent();
    void makeRecovery();
    void makeSamplesTitle();
    QLayout* makeLogsHint();
    void refreshRecents();
    void refreshSamples();
    void refreshRecovery();
    void locate(const QString& folder);

    QWidget* m_continue = nullptr;
    QVBoxLayout* m_recents = nullptr;
    QList<RecentRow*> m_rows;
    QWidget* m_samplesTitle = nullptr;
    FlowLayout* m_samples = nullptr;
    Strip* m_recovery = nullptr;
    QAction* m_review;
    QAction* m_discard;
    UpdateThrottle* m_live; ///< rows of projects that are training
    TrainOnceOpen* m_training;
};

} // namespace cannery::ui
