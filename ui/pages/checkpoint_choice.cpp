// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/checkpoint_choice.h"

#include "ui/models/formats.h"
#include "ui/models/metric_names.h"
#include "ui/widgets/style/theme.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QSignalBlocker>

namespace cannery::ui {

namespace {

constexpr int kStepRole = Qt::UserRole + 1;

} // namespace

CheckpointChoice::CheckpointChoice(QWidget* parent)
    : QWidget(parent), m_runs(new QComboBox), m_checkpoints(new QComboBox)
{
    m_runs->setObjectName("field.run");
    m_runs->setAccessibleName(tr("Run"));
    m_checkpoints->setObjectName("field.checkpoint");
    m_checkpoints->setAccessibleName(tr("Checkpoint"));
    for (QComboBox* box : {m_runs, m_checkpoints}) {
        box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        box->setMinimumContentsLength(12);
    }
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(scaled(8));
    line->addWidget(m_runs, 1);
    line->addWidget(m_checkpoints, 1);
    connect(m_runs, &QComboBox::currentIndexChanged, this, [this] {
        m_chosenRun = run();
        m_chosenCheckpoint.clear();
        offerCheckpoints();
        Q_EMIT changed();
    });
    connect(m_checkpoints, &QComboBox::currentIndexChanged, this, [this] {
        m_chosenRun = run();
        m_chosenCheckpoint = checkpoint();
        Q_EMIT changed();
    });
}

void CheckpointChoice::setRuns(const ProjectSnapshotPtr& snapshot)
{
    // Runs change while a training goes on; a choice that was made stays, others follow the best.
    m_snapshot = snapshot;
    {
        const QSignalBlocker blocker(m_runs);
        m_runs->clear();
        for (const RunRow& row : snapshot->runs) {
            // Runs of other programs have no experiment by which a model could be rebuilt.
            if (!row.checkpoints.isEmpty() && !row.trashed && !row.isForeign) {
                m_runs->addItem(row.displayName(), row.name);
            }
        }
        m_runs->setCurrentIndex(qMax(0, m_runs->findData(m_chosenRun)));
    }
    offerCheckpoints();
    Q_EMIT changed();
}

void CheckpointChoice::chooseRun(const QString& run)
{
    if (const int index = m_runs->findData(run); index >= 0) {
        m_runs->setCurrentIndex(index);
        m_chosenRun = run;
    }
}

void CheckpointChoice::chooseStep(qint64 step)
{
    for (int i = 0; i < m_checkpoints->count(); ++i) {
        if (m_checkpoints->itemData(i, kStepRole).toLongLong() == step) {
            m_checkpoints->setCurrentIndex(i);
            m_chosenRun = run();
            m_chosenCheckpoint = checkpoint();
            return;
        }
    }
}

void CheckpointChoice::forgetChoice()
{
    m_chosenRun.clear();
    m_chosenCheckpoint.clear();
}

/// Keeps the chosen one if it still exists, otherwise selects the best.
void CheckpointChoice::offerCheckpoints()
{
    fillCheckpoints();
    const QSignalBlocker blocker(m_checkpoints);
    const bool isOfRun = run() == m_chosenRun;
    m_checkpoints->setCurrentIndex(isOfRun ? qMax(0, m_checkpoints->findData(m_chosenCheckpoint))
                                           : 0);
}

const RunRow* CheckpointChoice::row() const
{
    return m_snapshot ? m_snapshot->find(run()) : nullptr;
}

void CheckpointChoice::fillCheckpoints()
{
    const QSignalBlocker blocker(m_checkpoints);
    m_checkpoints->clear();
    const RunRow* chosen = row();
    if (!chosen) {
        return;
    }
    const auto add = [this](const QString& text, const QString& word, qint64 step) {
        m_checkpoints->addItem(text, word);
        m_checkpoints->setItemData(m_checkpoints->count() - 1, step, kStepRole);
    };
    // "best" and "latest" are words of the command line: they follow the run, a number does not.
    for (const CheckpointRow& checkpoint : chosen->checkpoints) {
        if (checkpoint.isBest) {
            add(chosen->decisionMetric.isEmpty()
                    ? tr("best, %1").arg(formatCount(checkpoint.step))
                    : tr("best %1, %2")
                          .arg(metricWord(chosen->shownMetric()), formatCount(checkpoint.step)),
                "best", checkpoint.step);
        }
    }
    if (!chosen->checkpoints.isEmpty()) {
        const qint64 last = chosen->checkpoints.last().step;
        add(tr("last, %1").arg(formatCount(last)), "latest", last);
    }
    for (auto it = chosen->checkpoints.crbegin(); it != chosen->checkpoints.crend(); ++it) {
        add(tr("step %1").arg(formatCount(it->step)), QString::number(it->step), it->step);
    }
}

bool CheckpointChoice::isEmpty() const
{
    return m_runs->count() == 0;
}

QString CheckpointChoice::run() const
{
    return m_runs->currentData().toString();
}

QString CheckpointChoice::checkpoint() const
{
    return m_checkpoints->currentData().toString();
}

qint64 CheckpointChoice::step() const
{
    const QVariant step = m_checkpoints->currentData(kStepRole);
    return step.isValid() ? step.toLongLong() : -1;
}

QString CheckpointChoice::sentence() const
{
    const RunRow* chosen = row();
    if (!chosen) {
        return {};
    }
    QStringList parts{chosen->displayName(), tr("checkpoint %1").arg(formatCount(step()))};
    const QString metric = chosen->shownMetric();
    if (const std::optional<double> value = chosen->metricAt(metric, step())) {
        parts.append(tr("%1 %2").arg(metricName(metric), formatNumber(*value)));
    }
    return parts.join(QStringLiteral(" · "));
}

} // namespace cannery::ui
