// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/editors/topology_sketch.h"
#include "ui/models/plan_facts.h"

#include <QWidget>

namespace cannery::ui {

class Button;
class DeviceChoice;
class FieldForm;
class Label;
class ProjectSession;
class TileGallery;
struct FieldNode;

/// The distribution strategies of the schema as tiles, with what each would do on this machine, the
/// arguments of the chosen one, and a measurement of all on request.
class StrategyChoice : public QWidget
{
    Q_OBJECT

public:
    explicit StrategyChoice(ProjectSession& session, QWidget* parent = nullptr);

    void refresh();
    /// What `cannery plan` reports.
    void setPlan(const PlanFacts& plan);
    /// How many workers pay: measured, or estimated.
    const WorkersFacts& workersFacts() const;

Q_SIGNALS:
    void measured();

private:
    QWidget* makeMeasuring();
    void choose(const QString& name);
    void measure();
    bool isMeasured() const;
    const StrategyFacts* factsOf(const QString& name) const;
    qint64 replicasOf(const StrategyFacts& facts) const;
    Topology topologyOf(const QString& name) const;
    QString detailsOf(const StrategyFacts& facts) const;
    void refreshMeasuring();
    void refreshTiles(const QString& current);
    void rebuildForm(const QString& kind);
    QString whatItDoes(const FieldNode& kind) const;

    ProjectSession* m_session;
    TileGallery* m_tiles;
    Label* m_words;
    FieldForm* m_form = nullptr; ///< of the chosen strategy; null if it has no arguments
    DeviceChoice* m_devices;     ///< instead of it, for a strategy of one device
    QString m_formOf;
    FieldForm* m_common; ///< of what all strategies have
    QWidget* m_measuring = nullptr;
    Label* m_measured = nullptr;
    Button* m_measure = nullptr;
    PlanFacts m_plan;
    PlanFacts m_probe;            ///< what was measured
    quint64 m_probedRevision = 0; ///< of the text that was measured, plus one; 0: none
    QString m_probeError;
    int m_job = 0;
};

} // namespace cannery::ui
