// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/parameter_facts.h"

#include "ui/document/field_node.h"
#include "ui/pages/field_values.h"

#include <QLocale>

namespace cannery::ui {

void ParameterReader::read(const FieldNode& message, const QString& group)
{
    for (const FieldNode& field : message.children) {
        readField(field, group);
    }
}

void ParameterReader::readField(const FieldNode& field, const QString& group)
{
    if (field.names == FieldNames::FeatureColumn) {
        return;
    }
    if (!field.isMessage) {
        add(group, labelOf(field), shownValue(field), field);
    } else if (!field.isRepeated) {
        const FieldNode& choice = chosen(field);
        const bool isOptimizer = field.name.endsWith(QLatin1String("optimizer"));
        add(group, isOptimizer ? tr("Optimizer") : labelOf(field),
            choice.isMessage ? labelOf(choice) : choice.text, field);
        if (choice.isMessage) {
            read(choice, group);
        }
    }
}

/// For display: yes and no, digit grouping, empty for "no limit".
QString ParameterReader::shownValue(const FieldNode& field)
{
    const QString text = valuesOf(field).join(QLatin1String(", "));
    if (field.type == QLatin1String("bool")) {
        return text == QLatin1String("true") ? tr("yes") : tr("no");
    }
    if (field.name == QLatin1String("num_epochs") && text == QLatin1String("0")) {
        return {};
    }
    bool isInteger = false;
    const qint64 number = text.toLongLong(&isInteger);
    return isInteger && !field.name.contains(QLatin1String("seed")) ? QLocale().toString(number)
                                                                    : text;
}

/// The meaning of an empty value.
QString ParameterReader::wordForZero(const FieldNode& field)
{
    return field.name == QLatin1String("threads") ? tr("one per core") : QString();
}

void ParameterReader::add(const QString& group, const QString& label, const QString& value,
                          const FieldNode& field)
{
    if (value.isEmpty() || (field.isExpert && field.isDefault)) {
        return;
    }
    const bool isWord = value == QLatin1String("0") && !wordForZero(field).isEmpty();
    m_parameters.append({.group = group,
                         .label = label,
                         .value = isWord ? wordForZero(field) : value,
                         .unit = isWord ? QString() : field.unit,
                         .help = field.help,
                         .path = field.path,
                         .isChanged = !field.isDefault});
}

} // namespace cannery::ui
