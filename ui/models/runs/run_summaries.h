// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QByteArray>
#include <QList>
#include <QMap>
#include <QString>
#include <QStringList>

#include <array>
#include <memory>
#include <vector>

namespace cannery::ui {

/// What a run has logged under one tag: the event folder below the run's ("" for training, "eval",
/// "eval_<name>") and the tag.
struct SummaryKey
{
    QString folder;
    QString tag;

    bool operator==(const SummaryKey&) const = default;
    bool operator<(const SummaryKey& other) const
    {
        return folder != other.folder ? folder < other.folder : tag < other.tag;
    }
};

/// The parts of ten thousand below which the bounds of a HistogramStep lie; the fifth is the
/// median.
inline constexpr std::array<int, 9> kBoundShares{0, 668, 1587, 3085, 5000, 6915, 8413, 9332, 10000};

/// One logged histogram. Bin i holds counts[i] values from edges[i] to edges[i + 1].
struct HistogramStep
{
    qint64 step = 0;
    double wallTime = 0; ///< seconds since 1970
    double min = 0;
    double max = 0;
    double count = 0; ///< 0: no bins
    std::vector<double> edges;
    std::vector<double> counts;
    std::array<double, kBoundShares.size()> bounds{};
};

struct TextStep
{
    qint64 step = 0;
    double wallTime = 0;
    QString markdown;
};

/// Pictures as their program encoded them: possibly damaged, or enormous once decoded.
struct ImageStep
{
    qint64 step = 0;
    double wallTime = 0;
    QList<QByteArray> encoded; ///< at least one
};

/// One value per threshold; thresholds are evenly spaced from 0 to 1.
struct PrCurveStep
{
    qint64 step = 0;
    double wallTime = 0;
    std::vector<double> precision;
    std::vector<double> recall;
    std::vector<double> truePositives;
    std::vector<double> falsePositives;
    std::vector<double> trueNegatives;
    std::vector<double> falseNegatives;
};

/// The steps of one tag, ascending.
template <typename Step>
struct StepHistory
{
    QList<std::shared_ptr<const Step>> steps;
    qint64 logged = 0; ///< more than there are steps: only evenly chosen ones are kept

    bool operator==(const StepHistory&) const = default;
};

/// One operation of a run's graph.
struct GraphNodeFacts
{
    QString name; ///< "dnn/hiddenlayer_0/MatMul"
    QString op;
    QStringList inputs;   ///< "node" or "node:2"
    QStringList controls; ///< nodes that must run before
    QString type;         ///< "float32", "float32 [?, 4]"; empty if the graph does not say
};

struct RunGraph
{
    std::vector<GraphNodeFacts> nodes;
};

/// Everything but scalars that a run's event files hold, at one moment. Copying it is cheap.
struct RunSummaries
{
    QMap<SummaryKey, StepHistory<HistogramStep>> histograms;
    QMap<SummaryKey, StepHistory<TextStep>> texts;
    QMap<SummaryKey, StepHistory<ImageStep>> images;
    QMap<SummaryKey, StepHistory<PrCurveStep>> prCurves;
    QMap<SummaryKey, qint64> sounds;                       ///< how many were logged
    QMap<QString, std::shared_ptr<const RunGraph>> graphs; ///< by folder; the latest
    qint64 leftOut = 0;                                    ///< values beyond every limit
    double loadedFraction = 0;                             ///< 0 to 1, of the files' bytes
    QString problem; ///< why a file could not be read to its end, a sentence; empty if all could
};

using RunSummariesPtr = std::shared_ptr<const RunSummaries>;

} // namespace cannery::ui
