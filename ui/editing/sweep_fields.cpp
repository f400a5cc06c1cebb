// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editing/sweep_fields.h"

#include "ui/document/experiment_document.h"

#include <QRegularExpression>

#include <algorithm>
#include <cmath>

namespace cannery::ui {
namespace {

/// Names of files and columns are not settings to try.
bool namesSomething(const FieldSchema& field)
{
    return field.name == QLatin1String("name") || field.names == FieldNames::File ||
           (!field.isRepeated && field.names != FieldNames::Nothing);
}

void collect(const FieldNode& message, QStringList& found);

void collectMessages(const FieldNode& field, bool isRepeated, QStringList& found)
{
    if (isRepeated) {
        for (const FieldNode& element : field.children) {
            collect(element, found);
        }
        return;
    }
    const std::optional<MessageSchema> schema = messageSchema(field.path);
    // A choice among kinds, such as an optimizer, can be swept as a whole.
    if (schema && !schema->members().isEmpty()) {
        found << field.path;
    }
    collect(field, found);
}

void collect(const FieldNode& message, QStringList& found)
{
    const std::optional<MessageSchema> schema = messageSchema(message.path);
    if (!schema) {
        return;
    }
    for (const FieldSchema& field : schema->fields) {
        const FieldNode* present = message.child(field.name);
        if (field.kind == FieldSchema::Kind::Message) {
            if (present != nullptr) {
                collectMessages(*present, field.isRepeated, found);
            }
        } else if (!namesSomething(field) && (field.group.isEmpty() || present != nullptr)) {
            // Of a oneof, only the member that is set.
            found << childPath(message.path, field.name);
        }
    }
}

bool isWithin(const FieldSchema& schema, double value)
{
    const bool isAbove =
        !schema.min || value > *schema.min || (value == *schema.min && !schema.exclusive);
    const bool isBelow =
        !schema.max || value < *schema.max || (value == *schema.max && !schema.exclusive);
    return isAbove && isBelow;
}

/// Half and twice a whole number, a tenth and ten times another, as far as they are allowed.
QStringList numbersAround(const FieldSchema& schema, const QString& text)
{
    const bool isWhole = schema.kind == FieldSchema::Kind::Integer;
    const double value = text.toDouble();
    const double factor = isWhole ? 2 : 10;
    // Zero has no multiples.
    const QList<double> all = value == 0 ? QList<double>{0, isWhole ? 1 : 0.1, isWhole ? 2 : 0.5}
                                         : QList<double>{value / factor, value, value * factor};
    QStringList texts;
    for (const double one : all) {
        const double number = isWhole ? std::trunc(one) : one;
        const QString written = QString::number(number, 'g', isWhole ? 15 : 6);
        if (isWithin(schema, number) && !texts.contains(written)) {
            texts << written;
        }
    }
    return texts;
}

/// Of a list of whole numbers: each halved, as they are, each doubled.
QStringList listsAround(const FieldNode& list)
{
    QStringList lists;
    for (const double factor : {0.5, 1.0, 2.0}) {
        QStringList numbers;
        for (const FieldNode& element : list.children) {
            const double number = std::max(1.0, std::trunc(element.text.toDouble() * factor));
            numbers << QString::number(number, 'g', 15);
        }
        const QString text = u'[' + numbers.join(QStringLiteral(", ")) + u']';
        if (!numbers.isEmpty() && !lists.contains(text)) {
            lists << text;
        }
    }
    return lists;
}

QStringList valuesAround(const ExperimentDocument& document, const QString& path)
{
    const FieldSchema schema = fieldSchema(path).value_or(FieldSchema());
    const FieldNode* present = document.field(path);
    const QString text = present == nullptr ? schema.defaultText : present->text;
    using Kind = FieldSchema::Kind;
    const bool isNumeric = schema.kind == Kind::Integer || schema.kind == Kind::Number;
    if (schema.isRepeated) {
        return present != nullptr && schema.kind == Kind::Integer
                   ? listsAround(*present)
                   : QStringList{document.edits().written(path)};
    }
    return schema.kind == Kind::YesNo ? QStringList{QStringLiteral("true"), QStringLiteral("false")}
           : schema.kind == Kind::Choice ? schema.choices
           : isNumeric                   ? numbersAround(schema, text)
                                         : QStringList{text};
}

/// The names on the way to a field, its own first; dots in brackets do not count.
QStringList waysUp(const QString& path)
{
    QStringList ways{path};
    int depth = 0;
    for (qsizetype i = path.size() - 1; i > 0; --i) {
        depth += path.at(i) == u']' ? 1 : path.at(i) == u'[' ? -1 : 0;
        if (path.at(i) == u'.' && depth == 0) {
            ways << path.left(i);
        }
    }
    return ways;
}

/// A label, or an element's own name.
QString labelOf(const QString& path)
{
    static const QRegularExpression kElement(QStringLiteral(R"(\[\"?([^\"\]]*)\"?\]$)"));
    if (const auto element = kElement.match(path); element.hasMatch()) {
        return element.captured(1);
    }
    const std::optional<FieldSchema> schema = fieldSchema(path);
    return schema ? schema->label : QString();
}

} // namespace

std::optional<FieldSchema> sweptFieldOf(const ExperimentDocument& document, const QString& path)
{
    static const QRegularExpression kValues(
        QStringLiteral("^(sweep\\.parameter\\[[^\\]]*\\])\\.choice\\.value$"));
    const QRegularExpressionMatch match = kValues.match(path);
    const QString field =
        match.hasMatch() ? document.value(match.captured(1) + QStringLiteral(".field")) : QString();
    const std::optional<FieldSchema> schema = field.isEmpty() ? std::nullopt : fieldSchema(field);
    return schema && schema->kind != FieldSchema::Kind::Message ? schema : std::nullopt;
}

QString sweptName(const QString& path)
{
    QStringList labels;
    for (const QString& way : waysUp(path)) {
        // "Train spec" and the estimator's name are clear from the context.
        const bool isGeneral = labels.size() > 0 && !way.contains(u'.') && !way.endsWith(u']');
        const bool isModel = labels.size() > 0 && way.startsWith(QLatin1String("estimator.")) &&
                             way.count(u'.') == 1;
        if (const QString label = labelOf(way); !label.isEmpty() && !isGeneral && !isModel) {
            labels << label;
        }
    }
    return labels.isEmpty() ? path : labels.join(QStringLiteral(", "));
}

QList<FieldEdit> sweepEdits(const ExperimentDocument& document, const QString& path,
                            const QString& metric, bool higherIsBetter)
{
    const QString parameter = QStringLiteral("{ field: %1 choice { value: %2 } }")
                                  .arg(quoted(path), quotedList(valuesAround(document, path)));
    const FieldNode* sweep = document.field(QStringLiteral("sweep"));
    if (sweep == nullptr) {
        const QString judge =
            metric.isEmpty() ? QString()
                             : QStringLiteral(" metric: %1 higher_is_better: %2")
                                   .arg(quoted(metric), higherIsBetter ? QStringLiteral("true")
                                                                       : QStringLiteral("false"));
        return {
            FieldEdit::set(QStringLiteral("sweep"),
                           QStringLiteral("{ parameter %1 grid { }%2 }").arg(parameter, judge))};
    }
    const FieldNode* list = sweep->child(QStringLiteral("parameter"));
    const QString place = QStringLiteral("sweep.parameter");
    QList<FieldEdit> edits{
        FieldEdit::set(elementPath(place, list == nullptr ? 0 : list->children.size()), parameter)};
    if (memberOf(document, QStringLiteral("sweep")).isEmpty()) {
        edits << FieldEdit::set(QStringLiteral("sweep.grid"), QStringLiteral("{ }"));
    }
    return edits;
}

bool isSweptField(const QString& path)
{
    static const QRegularExpression kSwept(
        QStringLiteral("^sweep\\.parameter\\[[^\\]]*\\]\\.field$"));
    return kSwept.match(path).hasMatch();
}

QStringList sweepableFields(const FieldNode& root)
{
    QStringList found;
    for (const char* part :
         {"estimator", "train_spec", "feature_column", "run_config", "strategy"}) {
        const FieldNode* present = root.child(QLatin1String(part));
        if (present == nullptr) {
            continue;
        }
        if (present->isRepeated) {
            collectMessages(*present, true, found);
        } else {
            collect(*present, found);
        }
    }
    return found;
}

} // namespace cannery::ui
