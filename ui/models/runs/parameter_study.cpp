// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/runs/parameter_study.h"

#include "ui/models/formats.h"
#include "ui/models/metric_names.h"
#include "ui/models/runs/run_columns.h"

#include <QHash>
#include <QMap>
#include <QSet>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace cannery::ui {
namespace {

constexpr qsizetype kMostAxes = 8;
/// Numbers with more values than this are put into groups of neighbours.
constexpr int kMostGroups = 4;
/// A range of positive numbers whose ends differ by this factor is shown logarithmically.
constexpr double kLogarithmicFrom = 50;
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// Whether a path is a setting, and not about the run itself.
bool isSetting(const QString& path)
{
    return path != QLatin1String("name") && path != QLatin1String("description");
}

/// The metric that most of the runs are decided by.
QString commonMetric(const QList<const RunRow*>& runs)
{
    QMap<QString, int> votes;
    for (const RunRow* run : runs) {
        if (!run->decisionMetric.isEmpty()) {
            ++votes[run->shownMetric()];
        }
    }
    QString best;
    for (auto vote = votes.begin(); vote != votes.end(); ++vote) {
        if (best.isEmpty() || vote.value() > votes[best]) {
            best = vote.key();
        }
    }
    return best;
}

double metricOf(const RunRow& run, const QString& metric)
{
    const MetricSummary* found = run.metric(metric);
    return found == nullptr ? kUnknown : found->last;
}

/// Ranks from 1; equal values share their mean rank.
std::vector<double> ranksOf(const std::vector<double>& values)
{
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    std::vector<double> ranks(values.size());
    for (std::size_t from = 0; from < order.size();) {
        std::size_t to = from + 1;
        while (to < order.size() && values[order[to]] == values[order[from]]) {
            ++to;
        }
        for (std::size_t i = from; i < to; ++i) {
            ranks[order[i]] = 0.5 * static_cast<double>(from + to + 1);
        }
        from = to;
    }
    return ranks;
}

/// The group of each run: by its value, or by the rank of its number.
std::vector<int> groupsOf(const StudyAxis& axis, const std::vector<double>& numbers,
                          const QStringList& values)
{
    std::vector<int> groups;
    const QSet<QString> distinct(values.begin(), values.end());
    if (!axis.isNumeric || distinct.size() <= kMostGroups) {
        QHash<QString, int> known;
        for (const QString& value : values) {
            groups.push_back(known.value(value, static_cast<int>(known.size())));
            known.insert(value, groups.back());
        }
        return groups;
    }
    for (const double rank : ranksOf(numbers)) {
        groups.push_back(
            static_cast<int>((rank - 1) * kMostGroups / static_cast<double>(numbers.size())));
    }
    return groups;
}

/// See ParameterStudy.
double importanceOf(const std::vector<int>& groups, const std::vector<double>& ranks)
{
    const auto count = static_cast<double>(ranks.size());
    QMap<int, std::pair<double, double>> sums; // of ranks, and their number
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        sums[groups[i]].first += ranks[i];
        sums[groups[i]].second += 1;
    }
    const auto groupCount = static_cast<double>(sums.size());
    if (count <= groupCount + 1 || groupCount < 2) {
        return kUnknown;
    }
    double total = 0;
    double within = 0;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        const auto& [sum, members] = sums[groups[i]];
        total += std::pow(ranks[i] - 0.5 * (count + 1), 2);
        within += std::pow(ranks[i] - sum / members, 2);
    }
    if (total <= 0) {
        return 0;
    }
    return std::max(0.0, 1 - (within / (count - groupCount)) / (total / (count - 1)));
}

void setRange(StudyAxis& axis, const std::vector<double>& numbers)
{
    axis.min = *std::min_element(numbers.begin(), numbers.end());
    axis.max = *std::max_element(numbers.begin(), numbers.end());
    axis.isLogarithmic = axis.min > 0 && axis.max / axis.min >= kLogarithmicFrom;
}

/// An axis with the runs' places on it.
struct PlacedAxis
{
    StudyAxis axis;
    std::vector<double> places;
    QStringList values;
};

PlacedAxis placed(const QString& path, const QList<const RunRow*>& runs,
                  const std::vector<double>& ranks)
{
    PlacedAxis made{.axis = {.path = path, .label = path.section('.', -1)}};
    std::vector<double> numbers;
    for (const RunRow* run : runs) {
        const QString text = run->parameter(path);
        bool isNumber = false;
        numbers.push_back(text.toDouble(&isNumber));
        made.axis.isNumeric = made.axis.isNumeric && isNumber;
        made.values << (text.isNull() ? QStringLiteral("–") : plainValue(text));
    }
    if (made.axis.isNumeric) {
        setRange(made.axis, numbers);
    } else {
        const QSet<QString> distinct(made.values.begin(), made.values.end());
        made.axis.choices = {distinct.begin(), distinct.end()};
        made.axis.choices.sort();
    }
    for (qsizetype i = 0; i < runs.size(); ++i) {
        made.places.push_back(
            made.axis.isNumeric
                ? placeOf(made.axis, numbers[std::size_t(i)])
                : placeOfChoice(made.axis, made.axis.choices.indexOf(made.values[i])));
    }
    made.axis.importance = importanceOf(groupsOf(made.axis, numbers, made.values), ranks);
    return made;
}

/// A longer label of the field at a path: of its estimator first ("dnn_classifier.learning_rate"),
/// then the last parts of the path ("dnn_optimizer.adam.learning_rate").
QString longerLabel(const QString& path, int attempt)
{
    return attempt == 1 && path.count('.') > 1
               ? path.section('.', 1, 1) + '.' + path.section('.', -1)
               : path.section('.', -std::max(2, attempt));
}

/// Labels that coincide, even with that of the metric, become longer until they differ.
void distinguish(std::vector<PlacedAxis>& axes)
{
    constexpr int kMostAttempts = 12;
    for (int attempt = 1; attempt <= kMostAttempts; ++attempt) {
        QHash<QString, int> uses;
        for (const PlacedAxis& axis : axes) {
            ++uses[axis.axis.label];
        }
        for (PlacedAxis& axis : axes) {
            if (uses[axis.axis.label] > 1) {
                axis.axis.label = longerLabel(axis.axis.path, attempt);
            }
        }
    }
}

/// NaN last.
bool isMoreImportant(const PlacedAxis& a, const PlacedAxis& b)
{
    const auto weight = [](const PlacedAxis& one) {
        return std::isnan(one.axis.importance) ? -1 : one.axis.importance;
    };
    return weight(a) > weight(b);
}

} // namespace

double placeOf(const StudyAxis& axis, double number)
{
    if (axis.max <= axis.min) {
        return 0.5;
    }
    return axis.isLogarithmic ? std::log(number / axis.min) / std::log(axis.max / axis.min)
                              : (number - axis.min) / (axis.max - axis.min);
}

double numberAt(const StudyAxis& axis, double place)
{
    if (axis.max <= axis.min) {
        return axis.min;
    }
    return axis.isLogarithmic ? axis.min * std::pow(axis.max / axis.min, place)
                              : axis.min + place * (axis.max - axis.min);
}

double placeOfChoice(const StudyAxis& axis, qsizetype choice)
{
    return double(choice) / double(std::max<qsizetype>(1, axis.choices.size() - 1));
}

ParameterStudy studyParameters(const ProjectSnapshot& snapshot, const QStringList& runs)
{
    QList<const RunRow*> rows;
    for (const QString& name : runs) {
        if (const RunRow* run = snapshot.find(name)) {
            rows << run;
        }
    }
    ParameterStudy study{.metric = commonMetric(rows)};
    study.higherIsBetter = higherIsBetter(study.metric);
    rows.removeIf([&](const RunRow* run) { return !std::isfinite(metricOf(*run, study.metric)); });
    if (rows.isEmpty()) {
        return study;
    }
    std::vector<double> metrics;
    for (const RunRow* run : std::as_const(rows)) {
        metrics.push_back(metricOf(*run, study.metric));
    }
    const std::vector<double> ranks = ranksOf(metrics);
    std::vector<PlacedAxis> axes;
    for (const QString& path : differingParameters(rows)) {
        if (isSetting(path)) {
            axes.push_back(placed(path, rows, ranks));
        }
    }
    std::stable_sort(axes.begin(), axes.end(), isMoreImportant);
    study.leftOut = static_cast<int>(std::max<qsizetype>(0, std::ssize(axes) - kMostAxes));
    axes.resize(std::min<std::size_t>(axes.size(), std::size_t(kMostAxes)));
    PlacedAxis last{.axis = {.path = study.metric, .label = metricName(study.metric)}};
    setRange(last.axis, metrics);
    for (const double value : metrics) {
        last.places.push_back(placeOf(last.axis, value));
        last.values << formatNumber(value);
    }
    axes.push_back(std::move(last));
    distinguish(axes);
    for (qsizetype i = 0; i < rows.size(); ++i) {
        StudyLine line{.run = rows[i]->name,
                       .label = rows[i]->displayName(),
                       .colourSlot = rows[i]->colourSlot};
        for (const PlacedAxis& axis : axes) {
            line.places << axis.places[std::size_t(i)];
            line.values << axis.values[i];
        }
        study.lines << line;
    }
    for (PlacedAxis& axis : axes) {
        study.axes << std::move(axis.axis);
    }
    return study;
}

} // namespace cannery::ui
