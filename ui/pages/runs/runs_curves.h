// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/charts/curves/chart_card.h"
#include "ui/models/curves/series.h"
#include "ui/models/runs/run_groups.h"
#include "ui/models/runs/run_snapshot.h"
#include "ui/pages/runs/runs_toolbar.h"

#include <QHash>
#include <QObject>
#include <QSet>
#include <QStringList>

#include <memory>

namespace cannery::ui {

class SeriesStore;

/// The curves of a tag: one for each shown run and event folder, or one band for each group of
/// runs. Bands are computed off the GUI thread and cached until a series grows. GUI thread.
class RunsCurves : public QObject
{
    Q_OBJECT

public:
    explicit RunsCurves(SeriesStore& store, QObject* parent = nullptr);
    ~RunsCurves() override;

    void setRuns(const ProjectSnapshotPtr& snapshot, const QStringList& shown);
    void setGroup(const GroupChoice& group);

    /// Every tag that a shown run has logged.
    const QSet<QString>& tags() const { return m_tags; }
    /// True if the tags have changed.
    bool refreshTags();

    /// Its series are about to be removed; none is returned before the next refreshTags().
    void forgetRun(const QString& run);

    /// In the order of the runs; training before evaluation.
    QList<Curve> curves(const QString& tag) const;
    /// Checkpoints and best value while a single run is shown.
    QList<ChartMark> marks(const QString& tag) const;
    /// 0 … 1 over the shown runs.
    double loadedFraction() const;
    bool isEmpty() const { return m_runs.isEmpty(); }

    /// "training", "evaluation", "evaluation test".
    static QString sourceOf(const QString& folder);

Q_SIGNALS:
    /// A band was recomputed.
    void bandsChanged();

private:
    struct Band
    {
        quint64 revision = 0; ///< the sum over its series
        std::shared_ptr<const BandCurve> curve;
        bool isComputing = false;
    };

    QList<Curve> runCurves(const QString& tag) const;
    QList<Curve> groupCurves(const QString& tag) const;
    std::shared_ptr<const BandCurve> band(const QString& key,
                                          const QList<const Series*>& series) const;
    void compute(const QString& key, quint64 revision, const QList<const Series*>& series) const;

    SeriesStore* m_store;
    QList<RunRow> m_runs; ///< the shown runs
    GroupChoice m_group;
    QSet<QString> m_tags;
    QHash<QString, QList<SeriesKey>> m_keys; ///< by tag
    mutable QHash<QString, Band> m_bands;
    quint64 m_generation = 0;
};

} // namespace cannery::ui
