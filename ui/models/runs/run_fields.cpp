// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/runs/run_fields.h"

#include "ui/models/formats.h"

#include <array>
#include <cmath>

namespace cannery::ui {
namespace {

struct Alias
{
    const char* typed;
    const char* meant;
};

constexpr std::array kAliases{Alias{"lr", "learning_rate"},
                              Alias{"batch", "train_spec.input.batch_size"},
                              Alias{"batch_size", "train_spec.input.batch_size"},
                              Alias{"steps", "train_spec.max_steps"},
                              Alias{"max_steps", "train_spec.max_steps"},
                              Alias{"epochs", "train_spec.input.num_epochs"},
                              Alias{"seed", "tf_random_seed"},
                              Alias{"hidden", "hidden_units"},
                              Alias{"units", "hidden_units"}};

QString meant(const QString& field)
{
    for (const Alias& alias : kAliases) {
        if (field.compare(QLatin1String(alias.typed), Qt::CaseInsensitive) == 0) {
            return QString::fromLatin1(alias.meant);
        }
    }
    return field;
}

QString asText(double value)
{
    return std::isnan(value) ? QString() : QString::number(value, 'g', 17);
}

double reduced(const MetricSummary& summary, const QString& reducer)
{
    if (reducer == QLatin1String("last")) {
        return summary.last;
    }
    if (reducer == QLatin1String("min")) {
        return summary.min;
    }
    if (reducer == QLatin1String("max")) {
        return summary.max;
    }
    // Without a reducer, and for "best": the value at the run's best evaluation, if it has one.
    return std::isnan(summary.atBest) ? summary.last : summary.atBest;
}

const MetricSummary* findMetric(const RunRow& run, const QString& name)
{
    const QString training = "train/" + name;
    const MetricSummary* found = nullptr;
    for (const MetricSummary& summary : run.metrics) {
        // An evaluation's metric comes before the training's of the same name.
        if (summary.name.compare(name, Qt::CaseInsensitive) == 0) {
            return &summary;
        }
        if (summary.name.compare(training, Qt::CaseInsensitive) == 0) {
            found = &summary;
        }
    }
    return found;
}

/// The value of a metric; empty if the run does not have it.
std::optional<QString> metricText(const RunRow& run, const QString& field)
{
    if (const MetricSummary* summary = findMetric(run, field)) {
        return asText(reduced(*summary, {}));
    }
    const qsizetype dot = field.lastIndexOf('.');
    static const QStringList kReducers{"last", "min", "max", "best"};
    if (dot > 0 && kReducers.contains(field.mid(dot + 1))) {
        if (const MetricSummary* summary = findMetric(run, field.left(dot))) {
            return asText(reduced(*summary, field.mid(dot + 1)));
        }
    }
    return std::nullopt;
}

/// True if `field` ends the path after one of the separators (or is all of it).
bool endsPath(const QString& path, const QString& field, QLatin1String separators)
{
    if (!path.endsWith(field, Qt::CaseInsensitive)) {
        return false;
    }
    const qsizetype before = path.size() - field.size() - 1;
    return before < 0 || separators.contains(path.at(before));
}

QStringList parametersEnding(const RunRow& run, const QString& field, QLatin1String separators)
{
    QStringList found;
    for (const auto& [path, value] : run.parameters) {
        if (endsPath(path, field, separators)) {
            found.append(plainValue(value));
        }
    }
    return found;
}

/// The part of a path after the field: "adagrad" in "…dnn_optimizer.adagrad.learning_rate".
QStringList choicesWithin(const RunRow& run, const QString& field)
{
    QStringList found;
    const QString part = field + '.';
    for (const auto& [path, value] : run.parameters) {
        const qsizetype at = path.indexOf(part, 0, Qt::CaseInsensitive);
        // Only whole parts of a path: "rate" is not a part of "separate".
        if (at < 0 || (at > 0 && path.at(at - 1) != '.' && path.at(at - 1) != '_')) {
            continue;
        }
        const qsizetype begin = at + part.size();
        const qsizetype end = path.indexOf('.', begin);
        const QString choice = path.mid(begin, end < 0 ? -1 : end - begin);
        if (!found.contains(choice)) {
            found.append(choice);
        }
    }
    return found;
}

QStringList parameterTexts(const RunRow& run, const QString& field)
{
    // The exact name first: "optimizer" is looked for as "dnn_optimizer" only if nothing is called
    // so.
    QStringList found = parametersEnding(run, field, QLatin1String("."));
    if (found.isEmpty()) {
        found = parametersEnding(run, field, QLatin1String("._"));
    }
    return found.isEmpty() ? choicesWithin(run, field) : found;
}

/// The source of the rows: file names without folders, and the experiment's name.
QStringList dataTexts(const RunRow& run)
{
    QStringList texts{run.experimentName};
    for (const auto& [path, value] : run.parameters) {
        if (path.startsWith(QLatin1String("data.")) && path.endsWith(QLatin1String(".files"))) {
            texts.append(value);
        }
    }
    return texts;
}

std::optional<QStringList> factTexts(const RunRow& run, const QString& field)
{
    const QString word = field.toLower();
    if (word == QLatin1String("name") || word == QLatin1String("title")) {
        return QStringList{run.name, run.title};
    }
    if (word == QLatin1String("tag") || word == QLatin1String("tags")) {
        return run.tags;
    }
    if (word == QLatin1String("notes")) {
        return QStringList{run.notes};
    }
    if (word == QLatin1String("state")) {
        return QStringList{displayName(run.state)};
    }
    if (word == QLatin1String("estimator")) {
        return QStringList{run.estimator, run.subtitle()};
    }
    if (word == QLatin1String("experiment")) {
        return QStringList{run.experimentName};
    }
    if (word == QLatin1String("data")) {
        return dataTexts(run);
    }
    if (word == QLatin1String("step")) {
        return QStringList{QString::number(run.globalStep)};
    }
    if (word == QLatin1String("rows")) {
        return QStringList{QString::number(run.trainRows)};
    }
    if (word == QLatin1String("star") || word == QLatin1String("starred")) {
        return QStringList{run.starred ? QStringLiteral("true") : QStringLiteral("false")};
    }
    if (word == QLatin1String("duration")) {
        const double seconds = run.durationSeconds(QDateTime::currentDateTime());
        return seconds < 0 ? QStringList() : QStringList{asText(seconds)};
    }
    return std::nullopt;
}

} // namespace

QStringList fieldTexts(const RunRow& run, const QString& field)
{
    if (const std::optional<QStringList> facts = factTexts(run, field)) {
        return *facts;
    }
    if (const std::optional<QString> metric = metricText(run, field)) {
        return metric->isEmpty() ? QStringList() : QStringList{*metric};
    }
    return parameterTexts(run, meant(field));
}

QString parameterText(const RunRow& run, const QString& pathOrName)
{
    const QString exact = run.parameter(pathOrName);
    // A column is for one path, or for a name that stands for several paths of different
    // estimators.
    if (!exact.isNull() || !commonParameters().contains(pathOrName)) {
        return exact.isNull() ? exact : plainValue(exact);
    }
    QStringList texts = parameterTexts(run, meant(pathOrName));
    texts.removeDuplicates();
    return texts.isEmpty() ? QString() : texts.join(QStringLiteral(", "));
}

bool hasOneValue(const RunRow& run, const QString& pathOrName)
{
    if (!run.parameter(pathOrName).isNull() || !commonParameters().contains(pathOrName)) {
        return true;
    }
    QStringList texts = parameterTexts(run, meant(pathOrName));
    texts.removeDuplicates();
    return texts.size() <= 1;
}

const QStringList& commonParameters()
{
    static const QStringList kNames{QStringLiteral("learning_rate"), QStringLiteral("hidden_units"),
                                    QStringLiteral("optimizer"),     QStringLiteral("dropout"),
                                    QStringLiteral("batch_size"),    QStringLiteral("max_steps"),
                                    QStringLiteral("tf_random_seed")};
    return kNames;
}

std::optional<double> numberOf(const QString& text)
{
    bool isNumber = false;
    const double value = text.toDouble(&isNumber);
    return isNumber ? std::optional<double>(value) : std::nullopt;
}

QString shortParameterName(const QString& path)
{
    const qsizetype dot = path.lastIndexOf('.');
    const QString last = dot < 0 ? path : path.mid(dot + 1);
    // "feature_column[deck].embedding_column.dimension" means nothing without its column.
    const qsizetype open = path.indexOf('[');
    const qsizetype close = path.indexOf(']', open);
    if (path.startsWith(QLatin1String("feature_column[")) && close > open) {
        return path.mid(open + 1, close - open - 1) + ' ' + last;
    }
    return last;
}

} // namespace cannery::ui
