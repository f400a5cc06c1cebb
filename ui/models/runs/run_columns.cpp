// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/runs/run_columns.h"

#include "ui/models/formats.h"
#include "ui/models/metric_names.h"
#include "ui/models/runs/run_fields.h"

#include <QCoreApplication>
#include <QHash>
#include <QJsonObject>
#include <QRegularExpression>
#include <QSet>

#include <algorithm>
#include <array>
#include <cmath>

namespace cannery::ui {
namespace {

constexpr int kParametersShownAtFirst = 1;

struct KindName
{
    RunColumn::Kind kind;
    const char* id;   ///< for the view state
    const char* text; ///< for the header
};

constexpr std::array kKinds{
    KindName{RunColumn::Kind::Eye, "eye", ""},
    KindName{RunColumn::Kind::Colour, "colour", ""},
    KindName{RunColumn::Kind::Star, "star", ""},
    KindName{RunColumn::Kind::Name, "name", QT_TRANSLATE_NOOP("RunColumn", "Run")},
    KindName{RunColumn::Kind::State, "state", ""},
    KindName{RunColumn::Kind::Metric, "metric", ""},
    KindName{RunColumn::Kind::Parameter, "parameter", ""},
    KindName{RunColumn::Kind::Tags, "tags", QT_TRANSLATE_NOOP("RunColumn", "Tags")},
    KindName{RunColumn::Kind::Step, "step", QT_TRANSLATE_NOOP("RunColumn", "Step")},
    KindName{RunColumn::Kind::Started, "started", QT_TRANSLATE_NOOP("RunColumn", "Started")},
    KindName{RunColumn::Kind::Duration, "duration", QT_TRANSLATE_NOOP("RunColumn", "Duration")},
    KindName{RunColumn::Kind::Estimator, "estimator", QT_TRANSLATE_NOOP("RunColumn", "Estimator")},
    KindName{RunColumn::Kind::Notes, "notes", QT_TRANSLATE_NOOP("RunColumn", "Notes")}};

struct ReducerName
{
    Reducer reducer;
    const char* id;
    const char* text;
};

constexpr std::array kReducers{
    ReducerName{Reducer::AtBest, "best", QT_TRANSLATE_NOOP("RunColumn", "best")},
    ReducerName{Reducer::Last, "last", QT_TRANSLATE_NOOP("RunColumn", "last")},
    ReducerName{Reducer::Min, "min", QT_TRANSLATE_NOOP("RunColumn", "min")},
    ReducerName{Reducer::Max, "max", QT_TRANSLATE_NOOP("RunColumn", "max")},
    ReducerName{Reducer::AtStep, "step", QT_TRANSLATE_NOOP("RunColumn", "at step")}};

QString word(const char* text)
{
    return QCoreApplication::translate("RunColumn", text);
}

const KindName& nameOf(RunColumn::Kind kind)
{
    return kKinds[static_cast<std::size_t>(kind)];
}

QString reducerText(const RunColumn& column)
{
    for (const ReducerName& row : kReducers) {
        if (row.reducer == column.reducer) {
            const QString text = word(row.text);
            return column.reducer == Reducer::AtStep ? text + ' ' + formatCount(column.step) : text;
        }
    }
    return {};
}

std::optional<double> metricNumber(const RunRow& run, const RunColumn& column)
{
    const MetricSummary* summary = run.metric(column.key);
    if (!summary) {
        return std::nullopt;
    }
    switch (column.reducer) {
    case Reducer::AtBest:
        // At the best evaluation, if the run has one.
        return std::isnan(summary->atBest) ? summary->last : summary->atBest;
    case Reducer::Last:
        return summary->last;
    case Reducer::Min:
        return summary->min;
    case Reducer::Max:
        return summary->max;
    case Reducer::AtStep:
        return run.metricAt(column.key, column.step);
    }
    return std::nullopt;
}

bool isShownAsParameter(const QString& path)
{
    // Names add nothing to the run's name.
    return path != QLatin1String("name") && !path.endsWith(QLatin1String("].name"));
}

/// The most frequently changed ones first.
int parameterRank(const QString& path)
{
    static constexpr std::array kFirst{"learning_rate", "hidden_units", "batch_size",
                                       "dropout",       "max_steps",    "tf_random_seed"};
    for (std::size_t i = 0; i < kFirst.size(); ++i) {
        if (path.endsWith(QLatin1String(kFirst[i]))) {
            return static_cast<int>(i);
        }
    }
    return static_cast<int>(kFirst.size());
}

QStringList metricNames(const ProjectSnapshot& snapshot)
{
    QStringList names;
    QSet<QString> seen;
    for (const RunRow& run : snapshot.runs) {
        for (const MetricSummary& summary : run.metrics) {
            if (!seen.contains(summary.name)) {
                seen.insert(summary.name);
                names.append(summary.name);
            }
        }
    }
    return names;
}

/// "lr", and "dnn lr" where a model has several optimizers.
QString parameterHeader(const QString& path)
{
    static const QRegularExpression kPart(QStringLiteral(R"(\.([a-z0-9]+)_optimizer\.)"));
    const QString name = shortParameterName(path) == QLatin1String("learning_rate")
                             ? QStringLiteral("lr")
                             : shortParameterName(path);
    const QRegularExpressionMatch part = kPart.match(path);
    return part.hasMatch() ? part.captured(1) + ' ' + name : name;
}

} // namespace

bool RunColumn::isNumber() const
{
    return kind == Kind::Metric || kind == Kind::Step || kind == Kind::Duration;
}

QString headerText(const RunColumn& column)
{
    switch (column.kind) {
    case RunColumn::Kind::Metric: {
        // "AUC best" is worth the extra word; the loss at the best step is simply the run's loss.
        const bool isPlain =
            column.reducer == Reducer::AtBest && !columnDirection(column).value_or(false);
        const QString metric = metricName(column.key);
        return isPlain ? metric : metric + ' ' + reducerText(column);
    }
    case RunColumn::Kind::Parameter:
        return parameterHeader(column.key);
    default:
        break;
    }
    const char* text = nameOf(column.kind).text;
    return *text ? word(text) : QString();
}

QString description(const RunColumn& column)
{
    switch (column.kind) {
    case RunColumn::Kind::Eye:
        return word(QT_TRANSLATE_NOOP("RunColumn", "Shown in the charts"));
    case RunColumn::Kind::Colour:
        return word(QT_TRANSLATE_NOOP("RunColumn", "Colour"));
    case RunColumn::Kind::Star:
        return word(QT_TRANSLATE_NOOP("RunColumn", "Star"));
    case RunColumn::Kind::State:
        return word(QT_TRANSLATE_NOOP("RunColumn", "State"));
    case RunColumn::Kind::Metric:
        return word(QT_TRANSLATE_NOOP("RunColumn", "%1 (%2) of the evaluations"))
            .arg(metricName(column.key), reducerText(column));
    case RunColumn::Kind::Parameter:
        return column.key;
    default:
        return headerText(column);
    }
}

std::optional<double> columnNumber(const RunRow& run, const RunColumn& column)
{
    switch (column.kind) {
    case RunColumn::Kind::Metric:
        return metricNumber(run, column);
    case RunColumn::Kind::Parameter:
        // Written numbers sort as numbers: 1e-3 lies below 0.01.
        return numberOf(parameterText(run, column.key));
    case RunColumn::Kind::Step:
        return static_cast<double>(run.globalStep);
    case RunColumn::Kind::Started:
        return run.startedAt.isValid()
                   ? std::optional<double>(static_cast<double>(run.startedAt.toMSecsSinceEpoch()))
                   : std::nullopt;
    case RunColumn::Kind::Duration: {
        const double seconds = run.durationSeconds(QDateTime::currentDateTime());
        return seconds < 0 ? std::nullopt : std::optional<double>(seconds);
    }
    case RunColumn::Kind::Star:
        return run.starred ? 1 : 0;
    case RunColumn::Kind::State:
        return static_cast<double>(run.state);
    case RunColumn::Kind::Colour:
        return run.colourSlot;
    default:
        return std::nullopt;
    }
}

QString columnText(const RunRow& run, const RunColumn& column)
{
    switch (column.kind) {
    case RunColumn::Kind::Name:
        return run.displayName();
    case RunColumn::Kind::State:
        return displayName(run.state);
    case RunColumn::Kind::Parameter:
        return formatWritten(parameterText(run, column.key));
    case RunColumn::Kind::Tags:
        return run.tags.join(QStringLiteral(", "));
    case RunColumn::Kind::Notes:
        return run.notes.section('\n', 0, 0);
    case RunColumn::Kind::Estimator:
        return run.estimator;
    case RunColumn::Kind::Started:
        return run.startedAt.isValid() ? formatAgo(run.startedAt) : QString();
    default:
        break;
    }
    const std::optional<double> number = columnNumber(run, column);
    if (!number || !column.isNumber()) {
        return {};
    }
    switch (column.kind) {
    case RunColumn::Kind::Step:
        return formatCount(run.globalStep);
    case RunColumn::Kind::Duration:
        return formatDuration(*number);
    default:
        return formatNumber(*number);
    }
}

std::optional<bool> columnDirection(const RunColumn& column)
{
    if (column.kind != RunColumn::Kind::Metric) {
        return std::nullopt;
    }
    // A baseline is not better or worse: it depends on the labels alone.
    const bool isBaseline = column.key.contains(QLatin1String("baseline"));
    return isBaseline ? std::nullopt : metricDirection(column.key);
}

QList<RunColumn> fixedColumns()
{
    return {{RunColumn::Kind::Eye},
            {RunColumn::Kind::Colour},
            {RunColumn::Kind::Star},
            {RunColumn::Kind::Name},
            {RunColumn::Kind::State}};
}

QList<RunColumn> defaultColumns(const ProjectSnapshot& snapshot)
{
    QList<RunColumn> columns = fixedColumns();
    const QStringList metrics = metricNames(snapshot);
    QStringList wanted;
    // What the runs decide by comes before their loss.
    for (const RunRow& run : snapshot.runs) {
        if (!run.decisionMetric.isEmpty()) {
            wanted.append(run.shownMetric());
            break;
        }
    }
    wanted.append(QStringLiteral("loss"));
    for (const QString& metric : std::as_const(wanted)) {
        const RunColumn column{.kind = RunColumn::Kind::Metric, .key = metric};
        if (metrics.contains(metric) && !columns.contains(column)) {
            columns.append(column);
        }
    }
    int shown = 0;
    for (const ColumnOffer& offer : availableColumns(snapshot)) {
        if (offer.column.kind == RunColumn::Kind::Parameter && offer.differs &&
            shown < kParametersShownAtFirst) {
            columns.append(offer.column);
            ++shown;
        }
    }
    return columns;
}

QStringList differingParameters(const QList<const RunRow*>& runs)
{
    struct Seen
    {
        QString value;
        int count = 0;
        bool differs = false;
        int order = 0;
    };
    QHash<QString, Seen> byPath;
    int order = 0;
    for (const RunRow* run : runs) {
        for (const auto& [path, value] : run->parameters) {
            Seen& seen = byPath[path];
            if (seen.count == 0) {
                seen = {.value = value, .order = order++};
            }
            seen.differs = seen.differs || seen.value != value;
            ++seen.count;
        }
    }
    QList<std::pair<int, QString>> found;
    for (auto it = byPath.begin(); it != byPath.end(); ++it) {
        // A parameter that some runs lack differs, too.
        if (it->differs || it->count < runs.size()) {
            found.append({it->order, it.key()});
        }
    }
    std::sort(found.begin(), found.end());
    QStringList paths;
    for (const auto& [place, path] : std::as_const(found)) {
        paths.append(path);
    }
    return paths;
}

QStringList differingCommonParameters(const QList<const RunRow*>& runs)
{
    // Runs without a differing path of that name have the same; comparing them is expensive.
    const QStringList paths = differingParameters(runs);
    const auto mayDiffer = [&paths](const QString& name) {
        return std::any_of(paths.begin(), paths.end(), [&](const QString& path) {
            return path.contains(name, Qt::CaseInsensitive);
        });
    };
    QStringList found;
    for (const QString& name : commonParameters()) {
        if (!mayDiffer(name)) {
            continue;
        }
        const QString first = runs.isEmpty() ? QString() : parameterText(*runs.front(), name);
        const bool differs = std::any_of(runs.begin(), runs.end(), [&](const RunRow* run) {
            return parameterText(*run, name) != first;
        });
        // Two rates side by side in one cell are two fields: each has a column.
        const bool areOne = std::all_of(runs.begin(), runs.end(),
                                        [&](const RunRow* run) { return hasOneValue(*run, name); });
        if (differs && areOne) {
            found.append(name);
        }
    }
    return found;
}

QList<ColumnOffer> availableColumns(const ProjectSnapshot& snapshot)
{
    QList<ColumnOffer> offers;
    for (const QString& metric : metricNames(snapshot)) {
        RunColumn column{.kind = RunColumn::Kind::Metric, .key = metric};
        offers.append({column, metric, false});
    }
    QList<const RunRow*> runs;
    QStringList paths;
    QSet<QString> seen;
    for (const RunRow& run : snapshot.runs) {
        if (run.parameters.isEmpty()) {
            continue;
        }
        runs.append(&run);
        for (const auto& [path, value] : run.parameters) {
            if (isShownAsParameter(path) && !seen.contains(path)) {
                seen.insert(path);
                paths.append(path);
            }
        }
    }
    // What differs is why runs are compared, so it is offered first.
    const QStringList differingList = differingParameters(runs);
    const QSet<QString> differing(differingList.begin(), differingList.end());
    std::stable_sort(paths.begin(), paths.end(), [&](const QString& a, const QString& b) {
        if (differing.contains(a) != differing.contains(b)) {
            return differing.contains(a);
        }
        return parameterRank(a) < parameterRank(b);
    });
    using Kind = RunColumn::Kind;
    for (const QString& name : differingCommonParameters(runs)) {
        offers.append({{.kind = Kind::Parameter, .key = name}, name, true});
    }
    const auto addParameters = [&](bool wantDiffering) {
        for (const QString& path : std::as_const(paths)) {
            if (differing.contains(path) == wantDiffering) {
                offers.append({{.kind = Kind::Parameter, .key = path}, path, wantDiffering});
            }
        }
    };
    addParameters(true);
    for (const Kind kind :
         {Kind::Tags, Kind::Step, Kind::Started, Kind::Duration, Kind::Estimator, Kind::Notes}) {
        offers.append({{.kind = kind}, headerText({.kind = kind}), false});
    }
    addParameters(false);
    return offers;
}

QJsonArray toJson(const QList<RunColumn>& columns)
{
    QJsonArray array;
    for (const RunColumn& column : columns) {
        QJsonObject object{{QStringLiteral("kind"), QLatin1String(nameOf(column.kind).id)}};
        if (!column.key.isEmpty()) {
            object.insert(QStringLiteral("key"), column.key);
        }
        for (const ReducerName& row : kReducers) {
            if (column.kind == RunColumn::Kind::Metric && row.reducer == column.reducer) {
                object.insert(QStringLiteral("reducer"), QLatin1String(row.id));
            }
        }
        if (column.reducer == Reducer::AtStep) {
            object.insert(QStringLiteral("step"), column.step);
        }
        array.append(object);
    }
    return array;
}

QList<RunColumn> columnsFromJson(const QJsonArray& json)
{
    QList<RunColumn> columns = fixedColumns();
    for (const QJsonValue& value : json) {
        const QJsonObject object = value.toObject();
        const QString id = object.value(QLatin1String("kind")).toString();
        for (const KindName& row : kKinds) {
            if (id != QLatin1String(row.id)) {
                continue;
            }
            RunColumn column{.kind = row.kind,
                             .key = object.value(QLatin1String("key")).toString()};
            const QString reducer = object.value(QLatin1String("reducer")).toString();
            for (const ReducerName& name : kReducers) {
                if (reducer == QLatin1String(name.id)) {
                    column.reducer = name.reducer;
                }
            }
            column.step = object.value(QLatin1String("step")).toInteger();
            if (!column.isFixed() && !columns.contains(column)) {
                // What was saved by another version, or twice, is left out.
                columns.append(column);
            }
        }
    }
    return columns;
}

} // namespace cannery::ui
