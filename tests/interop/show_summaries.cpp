// SPDX-License-Identifier: GPL-3.0-only
// show_summaries FOLDER: what the window shows of the event files in a folder (hyperparameters and
// everything but scalars), as one JSON object.

#include "ui/services/runs/foreign_parameters.h"
#include "ui/services/runs/summary_reader.h"

#include <QCryptographicHash>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <cstdio>

using namespace cannery::ui;

namespace {

constexpr int kLong = 60'000; ///< milliseconds

template <typename Numbers>
QJsonArray arrayOf(const Numbers& numbers)
{
    QJsonArray array;
    for (const double number : numbers) {
        array.append(number);
    }
    return array;
}

QJsonObject jsonOf(const HistogramStep& step)
{
    return {{"min", step.min},
            {"max", step.max},
            {"count", step.count},
            {"edges", arrayOf(step.edges)},
            {"counts", arrayOf(step.counts)},
            {"bounds", arrayOf(step.bounds)}};
}

QJsonObject jsonOf(const TextStep& step)
{
    return {{"markdown", step.markdown}};
}

QJsonObject jsonOf(const ImageStep& step)
{
    QJsonArray sums;
    for (const QByteArray& encoded : step.encoded) {
        sums.append(QString::fromLatin1(
            QCryptographicHash::hash(encoded, QCryptographicHash::Sha256).toHex()));
    }
    return {{"encoded", sums}};
}

QJsonObject jsonOf(const PrCurveStep& step)
{
    return {{"precision", arrayOf(step.precision)},
            {"recall", arrayOf(step.recall)},
            {"true_positives", arrayOf(step.truePositives)},
            {"false_positives", arrayOf(step.falsePositives)},
            {"true_negatives", arrayOf(step.trueNegatives)},
            {"false_negatives", arrayOf(step.falseNegatives)}};
}

/// By "folder|tag"; the steps in order.
template <typename Step>
QJsonObject jsonOf(const QMap<SummaryKey, StepHistory<Step>>& histories)
{
    QJsonObject all;
    for (auto it = histories.begin(); it != histories.end(); ++it) {
        QJsonArray steps;
        for (const auto& step : it->steps) {
            QJsonObject one = jsonOf(*step);
            one["step"] = step->step;
            steps.append(one);
        }
        all[it.key().folder + '|' + it.key().tag] = steps;
    }
    return all;
}

QJsonObject graphsOf(const RunSummaries& summaries)
{
    QJsonObject all;
    for (auto it = summaries.graphs.begin(); it != summaries.graphs.end(); ++it) {
        QJsonObject nodes;
        for (const GraphNodeFacts& node : it.value()->nodes) {
            nodes[node.name] =
                QJsonObject{{"op", node.op}, {"inputs", QJsonArray::fromStringList(node.inputs)}};
        }
        all[it.key()] = nodes;
    }
    return all;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 2) {
        return 2;
    }
    SummaryReader reader(QString::fromLocal8Bit(argv[1]));
    while (reader.read(true, kLong)) {
    }
    const RunSummaries summaries = reader.summaries();
    QJsonObject sounds;
    for (auto it = summaries.sounds.begin(); it != summaries.sounds.end(); ++it) {
        sounds[it.key().folder + '|' + it.key().tag] = it.value();
    }
    QJsonObject parameters;
    for (const auto& [name, value] : ForeignParameters().of(argv[1])) {
        parameters[name] = value;
    }
    const QJsonObject shown{{"parameters", parameters},
                            {"histograms", jsonOf(summaries.histograms)},
                            {"texts", jsonOf(summaries.texts)},
                            {"images", jsonOf(summaries.images)},
                            {"pr_curves", jsonOf(summaries.prCurves)},
                            {"sounds", sounds},
                            {"graphs", graphsOf(summaries)},
                            {"problem", summaries.problem}};
    std::puts(QJsonDocument(shown).toJson(QJsonDocument::Compact).constData());
    return 0;
}
