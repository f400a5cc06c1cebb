// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/runs/run_snapshot.h"
#include "ui/pages/runs/run_inspect.h"

#include <QWidget>

namespace cannery::ui {

class LinkLabel;
class SummaryFeed;

/// In place of charts: why there are none. Of a run that has logged no curves, what it has logged
/// instead, and a link to where that is shown.
class NoCharts : public QWidget
{
    Q_OBJECT

public:
    explicit NoCharts(QWidget* parent = nullptr);

    /// `run`: one without curves; null if the reason is another.
    void setReason(const QString& reason, const RunRow* run);

Q_SIGNALS:
    void inspectRequested(const QString& run, cannery::ui::RunInspect::View view);

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void refresh();

    LinkLabel* m_words;
    SummaryFeed* m_feed; ///< of the run
    QString m_reason;
    QString m_run;
    QString m_title;
};

} // namespace cannery::ui
