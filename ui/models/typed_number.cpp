// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/typed_number.h"

#include <QCoreApplication>
#include <QLocale>
#include <QRegularExpression>

#include <cmath>

namespace cannery::ui {
namespace {

constexpr char16_t kArabicDecimalMark = u'\u066b';

QString typedNumberText(const char* text)
{
    return QCoreApplication::translate("TypedNumber", text);
}

/// ASCII digits and signs for all others.
QString withPlainDigits(const QString& typed)
{
    QString text;
    for (const QChar c : typed.trimmed()) {
        const int digit = c.digitValue();
        text += digit >= 0 ? QChar(u'0' + digit) : c == QChar(0x2212) ? QChar(u'-') : c;
    }
    return text;
}

/// Whether the locale groups by two digits beyond the thousands, as in 1,00,000.
bool groupsByTwo(const QLocale& locale)
{
    const QString million = withPlainDigits(locale.toString(1000000));
    return million.startsWith(QStringLiteral("10") + locale.groupSeparator() +
                              QStringLiteral("00"));
}

/// "1.234,5e-6" with these marks; `sign`, `whole`, `fraction`, `exponent`.
QRegularExpression pattern(const QString& decimal, const QString& groups, bool isByTwo)
{
    const QString grouped =
        groups.isEmpty()
            ? QString()
            : QStringLiteral(R"(|[1-9]\d{0,2}([%1])(?:%2\g{-1})*\d{3})")
                  .arg(groups, isByTwo ? QStringLiteral(R"(\d{2,3})") : QStringLiteral(R"(\d{3})"));
    return QRegularExpression(
        QStringLiteral(
            R"(^(?<sign>[+-]?)(?<whole>\d*%1)(?:%2(?<fraction>\d*))?(?:[eE](?<exponent>[+-]?\d+))?$)")
            .arg(grouped, QRegularExpression::escape(decimal)));
}

std::optional<QString> matched(const QRegularExpression& pattern, const QString& text)
{
    const QRegularExpressionMatch match = pattern.match(text);
    QString whole = match.captured(u"whole");
    whole.removeIf([](QChar c) { return !c.isDigit(); });
    const QString fraction = match.captured(u"fraction");
    if (!match.hasMatch() || (whole.isEmpty() && fraction.isEmpty())) {
        return std::nullopt;
    }
    qsizetype zeros = 0;
    while (zeros + 1 < whole.size() && whole.at(zeros) == u'0') {
        ++zeros;
    }
    QString plain = match.captured(u"sign") == u"-" ? QStringLiteral("-") : QString();
    plain += whole.isEmpty() ? QStringLiteral("0") : whole.mid(zeros);
    if (!fraction.isEmpty()) {
        plain += u'.' + fraction;
    }
    const QString exponent = match.captured(u"exponent");
    return exponent.isEmpty() ? plain : plain + u'e' + exponent;
}

/// inf and nan are numbers of the text format.
std::optional<QString> specialNumber(const QString& text)
{
    static const QRegularExpression kSpecial(QStringLiteral(R"(^([+-]?)(?:(inf|infinity|∞)|nan)$)"),
                                             QRegularExpression::CaseInsensitiveOption);
    const QRegularExpressionMatch match = kSpecial.match(text);
    if (!match.hasMatch()) {
        return std::nullopt;
    }
    const QString sign = match.captured(1) == u"-" ? QStringLiteral("-") : QString();
    return match.captured(2).isEmpty() ? QStringLiteral("nan") : sign + QStringLiteral("inf");
}

bool hasDecimalComma()
{
    return QLocale().decimalPoint() == u",";
}

} // namespace

std::optional<QString> plainNumber(const QString& typed)
{
    const QLocale locale;
    const QString decimal = locale.decimalPoint();
    const QString text = withPlainDigits(typed).replace(QChar(kArabicDecimalMark), decimal);
    QString groups = QStringLiteral(" '\u2019\u00a0\u202f\u066c");
    if (locale.groupSeparator() != decimal) {
        groups += QRegularExpression::escape(locale.groupSeparator());
    }
    if (const auto number = matched(pattern(decimal, groups, groupsByTwo(locale)), text)) {
        return number;
    }
    // A point is accepted in every language: numbers are copied from programs.
    const auto number = matched(pattern(QStringLiteral("."), {}, false), text);
    return number ? number : specialNumber(text);
}

std::optional<double> numberTyped(const QString& typed)
{
    const std::optional<QString> plain = plainNumber(typed);
    bool isNumber = false;
    const double value = plain ? plain->toDouble(&isNumber) : 0;
    return isNumber && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

QString asTyped(const QString& plain)
{
    static const QRegularExpression kPlain(QStringLiteral(R"(^[+-]?\d*\.\d+(?:[eE][+-]?\d+)?$)"));
    QString text = plain;
    return kPlain.match(plain).hasMatch()
               ? text.replace(QStringLiteral("."), QLocale().decimalPoint())
               : plain;
}

QStringList typedPieces(const QString& typed, bool areWhole)
{
    static const QRegularExpression kEverywhere(QStringLiteral(R"([\s,;]+)"));
    static const QRegularExpression kBesideDecimals(QStringLiteral(R"((?:[\s;]|,(?!\d))+)"));
    return typed.split(hasDecimalComma() && !areWhole ? kBesideDecimals : kEverywhere,
                       Qt::SkipEmptyParts);
}

QString pieceSeparator(bool areWhole)
{
    return hasDecimalComma() && !areWhole ? QStringLiteral("; ") : QStringLiteral(", ");
}

QString notANumber(const QString& typed, bool isWhole)
{
    return typedNumberText("“%1” is not a number such as %2.")
        .arg(typed.trimmed(), isWhole ? QStringLiteral("20") : asTyped(QStringLiteral("0.05")));
}

} // namespace cannery::ui
