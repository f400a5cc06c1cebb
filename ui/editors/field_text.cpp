// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editors/field_text.h"

#include "ui/document/field_edit.h"
#include "ui/document/field_node.h"
#include "ui/document/field_schema.h"
#include "ui/models/typed_number.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace cannery::ui {
namespace {

bool isNumeric(const FieldSchema& schema)
{
    return schema.kind == FieldSchema::Kind::Integer || schema.kind == FieldSchema::Kind::Number;
}

bool isWhole(const FieldSchema& schema)
{
    return schema.kind == FieldSchema::Kind::Integer;
}

/// "2e4" is 20000 where the field takes an integer.
TypedValue oneNumber(const FieldSchema& schema, const QString& typed)
{
    const std::optional<QString> plain = plainNumber(typed);
    if (!plain) {
        return {{}, notANumber(typed, isWhole(schema))};
    }
    const double value = plain->toDouble();
    const bool isExact = std::abs(value) < 9e15 && std::trunc(value) == value;
    return {isWhole(schema) && isExact ? QString::number(static_cast<qint64>(value)) : *plain, {}};
}

TypedValue numberList(const FieldSchema& schema, const QString& typed)
{
    QStringList numbers;
    for (const QString& piece : typedPieces(typed, isWhole(schema))) {
        // "1,000" in a list may be one number or two.
        const bool isHalf = piece.size() > 1 && piece.startsWith(u'0') && piece.at(1).isDigit();
        const TypedValue number =
            isHalf ? TypedValue{{}, notANumber(piece, isWhole(schema))} : oneNumber(schema, piece);
        if (!number.problem.isEmpty()) {
            return number;
        }
        numbers << number.text;
    }
    return {numbers.isEmpty() ? QString() : u'[' + numbers.join(QStringLiteral(", ")) + u']', {}};
}

/// Values of another field, each as it would be typed there.
TypedValue valueList(const FieldSchema& element, const QString& typed)
{
    QStringList values;
    const QStringList pieces = isNumeric(element) && !element.isRepeated
                                   ? typedPieces(typed, isWhole(element))
                                   : typedTexts(typed);
    for (const QString& piece : pieces) {
        const bool isPlain = !isNumeric(element) || element.isRepeated || piece.startsWith(u'{');
        const TypedValue value = isPlain ? TypedValue{piece, {}} : oneNumber(element, piece);
        if (!value.problem.isEmpty()) {
            return value;
        }
        values << value.text;
    }
    return {values.isEmpty() ? QString() : quotedList(values), {}};
}

/// A text of a list as it would be typed. What is in brackets may have commas.
QString typedElement(const QString& text)
{
    const bool isPlain = !text.isEmpty() && text == text.trimmed() && !text.contains(u'"') &&
                         !text.contains(u'\n') && typedTexts(text) == QStringList{text};
    return isPlain ? text : quoted(text);
}

/// The comma that ends the element of a list at `from`, or the end of the list.
qsizetype elementEnd(const QString& typed, qsizetype from)
{
    int depth = 0;
    for (qsizetype i = from; i < typed.size(); ++i) {
        const QChar c = typed.at(i);
        depth += c == u'[' || c == u'{' ? 1 : c == u']' || c == u'}' ? -1 : 0;
        if (c == u',' && depth <= 0) {
            return i;
        }
    }
    return depth == 0 ? typed.size() : -1;
}

/// The end of a text in double quotes that begins at `from`; -1 if it does not end.
qsizetype closingQuote(const QString& typed, qsizetype from)
{
    for (qsizetype i = from + 1; i < typed.size(); ++i) {
        if (typed.at(i) == u'\\') {
            ++i;
        } else if (typed.at(i) == u'"') {
            return i;
        }
    }
    return -1;
}

QString unquoted(const QString& inside)
{
    QString text;
    for (qsizetype i = 0; i < inside.size(); ++i) {
        if (inside.at(i) == u'\\' && i + 1 < inside.size()) {
            ++i;
            text += inside.at(i) == u'n' ? u'\n' : inside.at(i) == u't' ? u'\t' : inside.at(i);
        } else {
            text += inside.at(i);
        }
    }
    return text;
}

} // namespace

QStringList typedTexts(const QString& typed)
{
    QStringList texts;
    qsizetype at = 0;
    while (at < typed.size()) {
        while (at < typed.size() && typed.at(at).isSpace()) {
            ++at;
        }
        const qsizetype close =
            at < typed.size() && typed.at(at) == u'"' ? closingQuote(typed, at) : -1;
        qsizetype comma = elementEnd(typed, std::max(at, close));
        if (comma < 0) { // brackets that do not close are texts like any other
            comma = typed.indexOf(u',', std::max(at, close));
        }
        comma = comma < 0 ? typed.size() : comma;
        const bool isQuoted =
            close > at && typed.sliced(close + 1, comma - close - 1).trimmed().isEmpty();
        const QString plain = typed.sliced(at, std::max<qsizetype>(0, comma - at)).trimmed();
        if (isQuoted) {
            texts << unquoted(typed.sliced(at + 1, close - at - 1));
        } else if (!plain.isEmpty()) {
            texts << plain;
        }
        at = comma + 1;
    }
    return texts;
}

TypedValue readTyped(const FieldSchema& schema, const QString& typed, const FieldSchema* element)
{
    if (typed.trimmed().isEmpty()) {
        return {};
    }
    if (element != nullptr) {
        return valueList(*element, typed);
    }
    if (schema.kind == FieldSchema::Kind::Text) {
        return {schema.isRepeated ? quotedList(typedTexts(typed)) : quoted(typed), {}};
    }
    if (isNumeric(schema)) {
        return schema.isRepeated ? numberList(schema, typed) : oneNumber(schema, typed);
    }
    return {typed.trimmed(), {}};
}

QString typedValue(const FieldSchema& schema, const QString& typed)
{
    return readTyped(schema, typed).text;
}

QString shownText(const FieldSchema& schema, const FieldNode& node, const FieldSchema* element)
{
    if (isNumeric(schema) && !schema.isRepeated) {
        return asTyped(node.text);
    }
    const bool hasNumbers = isNumeric(element != nullptr ? *element : schema) &&
                            (element == nullptr || !element->isRepeated);
    if (!schema.isRepeated || (schema.kind != FieldSchema::Kind::Text && !hasNumbers)) {
        return node.text;
    }
    QStringList texts;
    for (const FieldNode& child : node.children) {
        texts << (hasNumbers ? asTyped(child.text) : typedElement(child.text));
    }
    return texts.join(hasNumbers ? pieceSeparator(isWhole(element != nullptr ? *element : schema))
                                 : QStringLiteral(", "));
}

QString steppedNumber(const FieldSchema& schema, const QString& typed, int steps)
{
    const std::optional<double> number = numberTyped(typed);
    if (!number) {
        return typed;
    }
    double value = *number;
    if (schema.kind == FieldSchema::Kind::Integer) {
        value += steps;
    }
    for (int i = 0; schema.kind != FieldSchema::Kind::Integer && i < std::abs(steps); ++i) {
        const double sign = steps > 0 ? 1 : -1;
        double digit =
            value == 0 ? 0.1 : std::pow(10, std::floor(std::log10(std::abs(value)) + 1e-9));
        if (sign * value < 0 && std::abs(value) < digit * 1.5) {
            digit /= 10; // towards 0: 0.1, 0.09
        }
        value = std::round((value + sign * digit) / digit) * digit;
    }
    value = std::max(value, schema.min.value_or(value));
    value = std::min(value, schema.max.value_or(value));
    const bool isBound =
        (schema.min && value <= *schema.min) || (schema.max && value >= *schema.max);
    return schema.exclusive && isBound ? typed : asTyped(QString::number(value, 'g', 15));
}

} // namespace cannery::ui
