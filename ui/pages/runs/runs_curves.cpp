// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/runs/runs_curves.h"

#include "ui/services/runs/series_store.h"

#include <QCoreApplication>
#include <QPointer>
#include <QThreadPool>

#include <algorithm>

namespace cannery::ui {
namespace {

// Groups with fewer points are computed faster than handed to another thread.
constexpr qsizetype kPointsAtOnce = 20'000;

/// The evaluation's name from an event folder: "" for "eval", "test" for "eval_test".
QString evaluationName(const QString& folder)
{
    return folder.startsWith(QLatin1String("eval_")) ? folder.mid(5)
           : folder == QLatin1String("eval")         ? QString()
                                                     : folder;
}

std::shared_ptr<const BandCurve> toCurve(GroupBand band)
{
    return std::make_shared<const BandCurve>(
        BandCurve{std::move(band.steps), std::move(band.centre), std::move(band.low),
                  std::move(band.high), std::move(band.counts)});
}

} // namespace

RunsCurves::RunsCurves(SeriesStore& store, QObject* parent) : QObject(parent), m_store(&store) {}

RunsCurves::~RunsCurves() = default;

QString RunsCurves::sourceOf(const QString& folder)
{
    if (folder.isEmpty()) {
        return tr("training");
    }
    const QString name = evaluationName(folder);
    return name.isEmpty() ? tr("evaluation") : tr("evaluation %1").arg(name);
}

void RunsCurves::setRuns(const ProjectSnapshotPtr& snapshot, const QStringList& shown)
{
    const QSet<QString> wanted(shown.begin(), shown.end());
    m_runs.clear();
    for (const RunRow& run : snapshot->runs) {
        if (wanted.contains(run.name) && !run.trashed) {
            m_runs.append(run);
        }
    }
}

void RunsCurves::setGroup(const GroupChoice& group)
{
    if (group != m_group) {
        m_group = group;
        ++m_generation;
        m_bands.clear();
    }
}

bool RunsCurves::refreshTags()
{
    m_keys.clear();
    QSet<QString> tags;
    for (const RunRow& run : std::as_const(m_runs)) {
        QList<SeriesKey> keys = m_store->keys(run.name);
        // The folder of the training is the empty name, so its curve comes first.
        std::sort(keys.begin(), keys.end(),
                  [](const SeriesKey& a, const SeriesKey& b) { return a.folder < b.folder; });
        for (const SeriesKey& key : std::as_const(keys)) {
            tags.insert(key.tag);
            m_keys[key.tag].append(key);
        }
    }
    const bool isNew = tags != m_tags;
    m_tags = std::move(tags);
    return isNew;
}

void RunsCurves::forgetRun(const QString& run)
{
    for (QList<SeriesKey>& keys : m_keys) {
        keys.removeIf([&](const SeriesKey& key) { return key.run == run; });
    }
}

QList<Curve> RunsCurves::curves(const QString& tag) const
{
    return m_group.parameter.isEmpty() ? runCurves(tag) : groupCurves(tag);
}

QList<Curve> RunsCurves::runCurves(const QString& tag) const
{
    QHash<QString, const RunRow*> byName;
    for (const RunRow& run : m_runs) {
        byName.insert(run.name, &run);
    }
    const QList<SeriesKey> keys = m_keys.value(tag);
    const bool hasTraining = std::any_of(keys.begin(), keys.end(),
                                         [](const SeriesKey& key) { return !key.isEvaluation(); });
    QList<Curve> found;
    for (const SeriesKey& key : keys) {
        const RunRow* run = byName.value(key.run);
        const Series* series = m_store->series(key);
        if (!run || !series) {
            continue;
        }
        QString label = run->displayName();
        // A name for the source is needed only where there are two.
        if (key.isEvaluation() && hasTraining) {
            label += QStringLiteral(" · ") + sourceOf(key.folder);
        }
        found.append({.series = series,
                      .label = label,
                      .run = run->name,
                      .colourSlot = run->colourSlot,
                      .dashed = key.isEvaluation()});
    }
    return found;
}

QList<Curve> RunsCurves::groupCurves(const QString& tag) const
{
    QList<const RunRow*> runs;
    for (const RunRow& run : m_runs) {
        runs.append(&run);
    }
    const QList<SeriesKey> keys = m_keys.value(tag);
    QStringList folders;
    for (const SeriesKey& key : keys) {
        if (!folders.contains(key.folder)) {
            folders.append(key.folder);
        }
    }
    QList<Curve> found;
    for (const RunGroup& group : groupRuns(runs, m_group.parameter)) {
        for (const QString& folder : std::as_const(folders)) {
            QList<const Series*> series;
            for (const SeriesKey& key : keys) {
                const Series* one = key.folder == folder && group.runs.contains(key.run)
                                        ? m_store->series(key)
                                        : nullptr;
                if (one) {
                    series.append(one);
                }
            }
            if (series.isEmpty()) {
                continue;
            }
            const QString id = tag + '\n' + folder + '\n' + group.runs.join('\n');
            if (const auto curve = band(id, series)) {
                found.append({.band = curve,
                              .label = group.label,
                              .run = group.runs.front(),
                              .colourSlot = group.colourSlot,
                              .dashed = !folder.isEmpty()});
            }
        }
    }
    return found;
}

std::shared_ptr<const BandCurve> RunsCurves::band(const QString& key,
                                                  const QList<const Series*>& series) const
{
    // A revision grows with each change, and so does the sum.
    quint64 revision = 0;
    for (const Series* one : series) {
        revision += one->revision();
    }
    Band& known = m_bands[key];
    // The old band is shown until the new one is there.
    if ((!known.curve || known.revision != revision) && !known.isComputing) {
        compute(key, revision, series);
    }
    return m_bands.value(key).curve;
}

void RunsCurves::compute(const QString& key, quint64 revision,
                         const QList<const Series*>& series) const
{
    qsizetype total = 0;
    std::vector<StepPoints> points;
    for (const Series* one : series) {
        total += one->size();
        // Copied here: series may only be read on the GUI thread.
        points.push_back(stepPoints(*one));
    }
    if (total <= kPointsAtOnce) {
        m_bands[key] = {revision, toCurve(groupBand(points, m_group.centre, m_group.spread))};
        return;
    }
    m_bands[key].isComputing = true;
    // Bands are a cache, which fills while it is asked for them.
    auto* self = const_cast<RunsCurves*>(this);
    QThreadPool::globalInstance()->start([guard = QPointer<RunsCurves>(self), key, revision,
                                          points = std::move(points), group = m_group,
                                          generation = m_generation] {
        auto curve = toCurve(groupBand(points, group.centre, group.spread));
        QMetaObject::invokeMethod(
            qApp,
            [guard, key, revision, generation, curve] {
                if (guard && guard->m_generation == generation) {
                    guard->m_bands[key] = {revision, curve};
                    Q_EMIT guard->bandsChanged();
                }
            },
            Qt::QueuedConnection);
    });
}

QList<ChartMark> RunsCurves::marks(const QString& tag) const
{
    QList<ChartMark> marks;
    // Marks of several runs would hide the curves.
    if (m_runs.size() != 1 || !m_group.parameter.isEmpty()) {
        return marks;
    }
    const RunRow& run = m_runs.front();
    for (const CheckpointRow& checkpoint : run.checkpoints) {
        marks.append(
            {.kind = ChartMark::Kind::Checkpoint, .step = static_cast<double>(checkpoint.step)});
    }
    if (run.bestStep >= 0 && run.decisionMetric.section('/', -1) == tag) {
        if (const auto best = run.metricAt(run.decisionMetric, run.bestStep)) {
            marks.append({.kind = ChartMark::Kind::Best,
                          .step = static_cast<double>(run.bestStep),
                          .value = *best});
        }
    }
    return marks;
}

double RunsCurves::loadedFraction() const
{
    if (m_runs.isEmpty()) {
        return 1;
    }
    double sum = 0;
    for (const RunRow& run : m_runs) {
        sum += m_store->loadedFraction(run.name);
    }
    return sum / static_cast<double>(m_runs.size());
}

} // namespace cannery::ui
