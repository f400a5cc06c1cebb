// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/run_snapshot.h"
#include "ui/pages/page.h"
#include "ui/widgets/strip.h"

#include <optional>

class QAction;

namespace cannery::ui {

struct EngineStatus;

/// The newest note on a run's health that stands, with what cures it; gone when there is none or a
/// person put it away.
class HealthStrip : public Strip
{
    Q_OBJECT

public:
    explicit HealthStrip(const PageContext& context, QWidget* parent = nullptr);

    /// `status`: of a live run.
    void showRun(const RunRow& run, const std::optional<EngineStatus>& status);
    /// What was put away may be shown again.
    void forgetDismissal();

private:
    void cure();

    PageContext m_context;
    QAction* m_cure;
    QString m_run;
    QString m_folder;
    QString m_shownNote;
    QString m_dismissedNote;
};

} // namespace cannery::ui
