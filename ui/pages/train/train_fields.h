// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QStringList>
#include <QWidget>

namespace cannery::ui {

class FlowLayout;
class FormPart;
class ProjectSession;

/// What people change between two runs, beside the Train button: steps, batch size and learning
/// rates of the open experiment.
class TrainFields : public QWidget
{
    Q_OBJECT

public:
    explicit TrainFields(ProjectSession& session, QWidget* parent = nullptr);

    /// Follows the experiment's estimator.
    void refresh();

private:
    void add(const QString& path, const QString& label);

    ProjectSession* m_session;
    FlowLayout* m_flow;
    QStringList m_rates; ///< paths of the shown learning rates
    QList<FormPart*> m_rows;
};

} // namespace cannery::ui
