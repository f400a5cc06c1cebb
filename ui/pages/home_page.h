// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/pages/page.h"

class QVBoxLayout;

namespace cannery::ui {

class Attention;
class FlowLayout;
class RecentRow;
class Strip;

/// Where the window begins: what was open before, samples, opening anything. A sample opens and
/// trains in one press.
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
    void openSample(const QString& sample);
    /// The sample that was pressed is open: train it.
    void trainSample();
    void locate(const QString& folder);

    QWidget* m_continue = nullptr;
    QVBoxLayout* m_recents = nullptr;
    QList<RecentRow*> m_rows;
    QWidget* m_samplesTitle = nullptr;
    FlowLayout* m_samples = nullptr;
    Strip* m_recovery = nullptr;
    QAction* m_review;
    QAction* m_discard;
    Attention* m_live;      ///< rows of projects in which something trains
    QString m_folderBefore; ///< what was open when a sample was pressed
    bool m_trainsWhenReady = false;
};

} // namespace cannery::ui
