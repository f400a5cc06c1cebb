// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/field_edit.h"
#include "ui/models/runs/run_snapshot.h"
#include "ui/pages/page.h"
#include "ui/pages/train/train_facts.h"
#include "ui/widgets/strip.h"

#include <optional>

class QAction;

namespace cannery::ui {

struct EngineStatus;

/// The newest current note on a run's health, with its remedy; hidden if there is none or it was
/// dismissed.
class HealthStrip : public Strip
{
    Q_OBJECT

public:
    explicit HealthStrip(const PageContext& context, QWidget* parent = nullptr);

    /// `status`: of a live run.
    void showRun(const RunRow& run, const std::optional<EngineStatus>& status);
    /// Shows dismissed notes again.
    void forgetDismissal();

private:
    void setUp(QAction& action, HealthCure cure, const QString& text, const RunRow& run);
    void cure(HealthCure cure);

    PageContext m_context;
    QAction* m_cure;
    QAction* m_next;
    QList<FieldEdit> m_edits; ///< of the cure
    QString m_run;
    QString m_folder;
    qint64 m_batchSize = 0; ///< proposed
    QString m_shownNote;
    QString m_dismissedNote;
};

} // namespace cannery::ui
