// SPDX-License-Identifier: GPL-3.0-only
#include "ui/document/experiment_difference.h"

#include "core/spec/experiment.pb.h"
#include "core/spec/spec_diff.h"
#include "core/spec/spec_resolver.h"
#include "core/spec/text/parsed_experiment.h"
#include "ui/document/experiment_reading.h"
#include "ui/document/field_schema.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>
#include <vector>

namespace cannery::ui {
namespace {

spec::Experiment readForDifference(const QByteArray& text)
{
    return spec::parseExperiment(text.toStdString()).experiment;
}

/// Where the path of what contains a field ends: before its last dot outside brackets.
qsizetype endOfParent(const QString& path)
{
    int depth = 0;
    bool isQuoted = false;
    qsizetype end = -1;
    for (qsizetype i = 0; i < path.size(); ++i) {
        const QChar c = path.at(i);
        if (c == u'"') {
            isQuoted = !isQuoted;
        } else if (!isQuoted && (c == u'[' || c == u']')) {
            depth += c == u'[' ? 1 : -1;
        } else if (!isQuoted && depth == 0 && c == u'.') {
            end = i;
        }
    }
    return end;
}

/// "age" of "feature_column[age]"; empty if the path does not end with an element.
QString elementOf(const QString& path)
{
    if (!path.endsWith(u']')) {
        return {};
    }
    QString name = path.mid(path.lastIndexOf(u'[') + 1);
    name.chop(1);
    return name.remove(u'"');
}

QString fieldLabel(const QString& path)
{
    const std::optional<FieldSchema> schema = fieldSchema(path);
    return schema ? schema->label : path;
}

/// "Dropout"; of an element what it is and its name: "Feature column age".
QString labelAt(const QString& path)
{
    const QString element = elementOf(path);
    if (element.isEmpty()) {
        return fieldLabel(path);
    }
    const std::optional<MessageSchema> message = messageSchema(path);
    return QCoreApplication::translate("ExperimentDifference", "%1 %2")
        .arg(message ? message->label : fieldLabel(path), element);
}

QString placeOf(const QString& path)
{
    const qsizetype end = endOfParent(path);
    if (end < 0) {
        return elementOf(path).isEmpty()
                   ? QCoreApplication::translate("ExperimentDifference", "Experiment")
                   : fieldLabel(path);
    }
    // The kind of a feature column says less than its name.
    QString parent = path.left(end);
    const qsizetype above = endOfParent(parent);
    if (above >= 0 && !elementOf(parent.left(above)).isEmpty() && elementOf(parent).isEmpty()) {
        parent.truncate(above);
    }
    return labelAt(parent);
}

/// A string without its quotes, a named message without braces and name; anything else as it is
/// written.
QString plainText(const std::string& written)
{
    static const QRegularExpression kNamed(QStringLiteral("^\\{ name: \"[^\"\\\\]*\" (.*) \\}$"));
    const QString text = QString::fromStdString(written).simplified();
    if (const auto named = kNamed.match(text); named.hasMatch()) {
        return named.captured(1);
    }
    const bool isOneString = text.size() >= 2 && text.startsWith(u'"') && text.endsWith(u'"') &&
                             text.count(u'"') == 2 && !text.contains(u'\\');
    return isOneString ? text.mid(1, text.size() - 2) : text;
}

ExperimentChange changeOf(const spec::FieldDifference& difference)
{
    const QString path = QString::fromStdString(difference.path);
    return {.kind = difference.before.empty()  ? ExperimentChange::Kind::Added
                    : difference.after.empty() ? ExperimentChange::Kind::Removed
                                               : ExperimentChange::Kind::Changed,
            .path = path,
            .place = placeOf(path),
            .label = endOfParent(path) < 0 && !elementOf(path).isEmpty() ? elementOf(path)
                                                                         : labelAt(path),
            .before = plainText(difference.before),
            .after = plainText(difference.after),
            .page = pageOfField(path)};
}

/// Leaves out of a run's experiment the types of columns that were inferred from its data.
void forgetInferredTypes(const spec::Experiment& written, spec::Experiment& frozen)
{
    if (!frozen.has_data()) {
        return;
    }
    std::map<std::string_view, const spec::Column*> writtenColumns;
    for (const spec::Column& column : written.data().column()) {
        writtenColumns.emplace(column.name(), &column);
    }
    auto& columns = *frozen.mutable_data()->mutable_column();
    const auto isInferred = [&](spec::Column& column) {
        const auto found = writtenColumns.find(column.name());
        if (found != writtenColumns.end() && found->second->has_dtype()) {
            return false;
        }
        column.clear_dtype();
        return found == writtenColumns.end() && !column.has_default_value() &&
               column.missing_token_size() == 0 && !column.has_number_notation();
    };
    columns.erase(std::remove_if(columns.begin(), columns.end(), isInferred), columns.end());
}

/// Leaves out of how a run read a text table what `resolved` leaves out: it was detected.
void forgetDetectedReading(const spec::DataSource& resolved, spec::DataSource& frozen)
{
    if (!frozen.has_csv()) {
        return;
    }
    const google::protobuf::Reflection& access = *spec::CsvSource::GetReflection();
    std::vector<const google::protobuf::FieldDescriptor*> fields;
    access.ListFields(frozen.csv(), &fields);
    for (const google::protobuf::FieldDescriptor* field : fields) {
        if (!field->is_repeated() && !access.HasField(resolved.csv(), field)) {
            access.ClearField(frozen.mutable_csv(), field);
        }
    }
}

void forgetDetectedReading(const spec::Experiment& resolved, spec::Experiment& frozen)
{
    if (frozen.data().has_train()) {
        forgetDetectedReading(resolved.data().train(), *frozen.mutable_data()->mutable_train());
    }
    if (frozen.data().has_eval()) {
        forgetDetectedReading(resolved.data().eval(), *frozen.mutable_data()->mutable_eval());
    }
}

} // namespace

QList<ExperimentChange> experimentChanges(const QByteArray& before, const QByteArray& after)
{
    QList<ExperimentChange> changes;
    for (const spec::FieldDifference& difference :
         spec::diff(readForDifference(before), readForDifference(after))) {
        changes << changeOf(difference);
    }
    return changes;
}

QList<ExperimentChange> changesSinceRun(const QByteArray& frozen, const QByteArray& text)
{
    spec::Experiment before = spec::resolve(readForDifference(frozen));
    spec::Experiment written = readForDifference(text);
    // A name is not a setting, and a copy has another one. A run is without the sweep.
    before.clear_name();
    written.clear_name();
    written.clear_sweep();
    forgetInferredTypes(written, before);
    // What only the data decides becomes a number that nobody writes.
    constexpr double unknown = std::numeric_limits<double>::infinity();
    spec::ResolveOptions options{.statistics = [&](std::string_view) {
        return std::optional(spec::ColumnStatistics{unknown, unknown, unknown, unknown});
    }};
    if (before.run_config().has_tf_random_seed()) {
        options.seed = before.run_config().tf_random_seed();
    }
    const spec::Experiment after = spec::resolve(written, options);
    forgetDetectedReading(after, before);
    QList<ExperimentChange> changes;
    for (const spec::FieldDifference& difference : spec::diff(before, after)) {
        if (difference.after != "inf") {
            changes << changeOf(difference);
        }
    }
    return changes;
}

bool isMissingEdits(const QByteArray& base, const QByteArray& mine, const QByteArray& theirs)
{
    if (base == mine || theirs == mine) {
        return false;
    }
    if (theirs == base) {
        return true;
    }
    const spec::Experiment ours = readForDifference(mine);
    const auto edits = spec::diff(readForDifference(base), ours);
    const auto others = spec::diff(readForDifference(theirs), ours);
    return std::any_of(edits.begin(), edits.end(), [&](const spec::FieldDifference& edit) {
        return std::find(others.begin(), others.end(), edit) != others.end();
    });
}

} // namespace cannery::ui
