// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/natural_order.h"

namespace cannery::ui {
namespace {

/// The end of the digits, or of what is not digits, that begin at `from`.
qsizetype endOfRun(const QString& text, qsizetype from)
{
    const bool isDigits = text.at(from).isDigit();
    while (from < text.size() && text.at(from).isDigit() == isDigits) {
        ++from;
    }
    return from;
}

int compareDigits(QStringView a, QStringView b)
{
    const auto withoutZeros = [](QStringView digits) {
        while (digits.size() > 1 && digits.front().digitValue() == 0) {
            digits = digits.sliced(1);
        }
        return digits;
    };
    a = withoutZeros(a);
    b = withoutZeros(b);
    return a.size() != b.size() ? (a.size() < b.size() ? -1 : 1) : a.compare(b);
}

} // namespace

int naturalCompare(const QString& a, const QString& b)
{
    qsizetype i = 0;
    qsizetype j = 0;
    while (i < a.size() && j < b.size()) {
        const qsizetype endA = endOfRun(a, i);
        const qsizetype endB = endOfRun(b, j);
        const QStringView runA = QStringView(a).sliced(i, endA - i);
        const QStringView runB = QStringView(b).sliced(j, endB - j);
        const bool areNumbers = a.at(i).isDigit() && b.at(j).isDigit();
        const int order =
            areNumbers ? compareDigits(runA, runB) : QString::localeAwareCompare(runA, runB);
        if (order != 0) {
            return order;
        }
        i = endA;
        j = endB;
    }
    const auto restA = a.size() - i;
    const auto restB = b.size() - j;
    return restA != restB ? (restA < restB ? -1 : 1) : a.compare(b);
}

} // namespace cannery::ui
