// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editors/field_text.h"

#include "ui/document/field_edit.h"
#include "ui/document/field_node.h"
#include "ui/document/field_schema.h"

#include <QRegularExpression>

#include <algorithm>
#include <cmath>

namespace cannery::ui {
namespace {

/// "12,000" and "12 000" are 12000; "2e4" is 20000 where an integer is wanted.
QString plainNumber(const FieldSchema& schema, QString typed)
{
    static const QRegularExpression kGrouped(
        QStringLiteral(R"(^[+-]?\d{1,3}([, '\x{a0}\x{202f}]\d{3})+(\.\d*)?$)"));
    typed = typed.trimmed();
    if (kGrouped.match(typed).hasMatch()) {
        static const QRegularExpression kSeparator(QStringLiteral(R"([, '\x{a0}\x{202f}])"));
        typed.remove(kSeparator);
    }
    typed.replace(QChar(0x2212), u'-');
    bool isNumber = false;
    const double value = typed.toDouble(&isNumber);
    const bool isWhole = isNumber && std::abs(value) < 9e15 && std::trunc(value) == value;
    if (schema.kind == FieldSchema::Kind::Integer && isWhole) {
        return QString::number(static_cast<qint64>(value));
    }
    return typed.startsWith(u'+') ? typed.mid(1) : typed;
}

QString numberList(const FieldSchema& schema, const QString& typed)
{
    static const QRegularExpression kSeparators(QStringLiteral(R"([\s,;]+)"));
    QStringList numbers;
    for (const QString& piece : typed.split(kSeparators, Qt::SkipEmptyParts)) {
        numbers << plainNumber(schema, piece);
    }
    return numbers.isEmpty() ? QString() : u'[' + numbers.join(QStringLiteral(", ")) + u']';
}

/// A text of a list as it would be typed.
QString typedElement(const QString& text)
{
    const bool isPlain = !text.isEmpty() && text == text.trimmed() && !text.contains(u',') &&
                         !text.contains(u'"') && !text.contains(u'\n');
    return isPlain ? text : quoted(text);
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
        qsizetype comma = typed.indexOf(u',', std::max(at, close));
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

QString typedValue(const FieldSchema& schema, const QString& typed)
{
    if (typed.trimmed().isEmpty()) {
        return {};
    }
    if (schema.kind == FieldSchema::Kind::Text) {
        return schema.isRepeated ? quotedList(typedTexts(typed)) : quoted(typed);
    }
    if (schema.kind == FieldSchema::Kind::Integer || schema.kind == FieldSchema::Kind::Number) {
        return schema.isRepeated ? numberList(schema, typed) : plainNumber(schema, typed);
    }
    return typed.trimmed();
}

QString shownText(const FieldSchema& schema, const FieldNode& node)
{
    if (!schema.isRepeated || schema.kind != FieldSchema::Kind::Text) {
        return node.text;
    }
    QStringList texts;
    for (const FieldNode& element : node.children) {
        texts << typedElement(element.text);
    }
    return texts.join(QStringLiteral(", "));
}

QString steppedNumber(const FieldSchema& schema, const QString& typed, int steps)
{
    bool isNumber = false;
    double value = plainNumber(schema, typed).toDouble(&isNumber);
    if (!isNumber || !std::isfinite(value)) {
        return typed;
    }
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
    return schema.exclusive && isBound ? typed : QString::number(value, 'g', 15);
}

} // namespace cannery::ui
