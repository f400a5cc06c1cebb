// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/pasted_table.h"

#include "ui/models/tables/table_trouble.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>

#include <algorithm>

namespace cannery::ui {
namespace {

constexpr qsizetype kLinesLookedAt = 100;
constexpr double kMostOfThem = 0.9;

struct PasteWords
{
    Q_DECLARE_TR_FUNCTIONS(PastedTable)
};

QStringList firstLines(const QString& text)
{
    QStringList lines;
    for (qsizetype at = 0; at < text.size() && lines.size() < kLinesLookedAt;) {
        const qsizetype end = text.indexOf(u'\n', at);
        QString line = text.mid(at, end < 0 ? -1 : end - at);
        if (line.endsWith(u'\r')) {
            line.chop(1);
        }
        if (!line.isEmpty()) {
            lines << line;
        }
        at = end < 0 ? text.size() : end + 1;
    }
    return lines;
}

QChar delimiterOf(const QStringList& lines)
// Spreadsheets copy cells with tabs between them, whatever the cells contain.
{
    return lines.value(0).contains(u'\t') ? QChar(u'\t') : likelyDelimiter(lines);
}

} // namespace

bool isTableText(const QString& text)
{
    const QStringList lines = firstLines(text);
    const QChar delimiter = delimiterOf(lines);
    const int values = valuesIn(lines.value(0), delimiter);
    const auto alike = std::count_if(lines.begin(), lines.end(), [&](const QString& line) {
        return valuesIn(line, delimiter) == values;
    });
    return lines.size() >= 2 && values >= 2 &&
           static_cast<double>(alike) >= kMostOfThem * static_cast<double>(lines.size());
}

PastedTable writePastedTable(const QString& text, const QString& folder)
{
    if (!isTableText(text)) {
        return {
            {},
            PasteWords::tr("The clipboard holds no table: copy at least two rows of two columns "
                           "from a spreadsheet or a CSV file.")};
    }
    const QString failed = PasteWords::tr("The pasted table cannot be written into %1: %2.");
    if (!QDir().mkpath(folder)) {
        return {{}, failed.arg(folder, PasteWords::tr("the folder cannot be created"))};
    }
    const QString suffix =
        delimiterOf(firstLines(text)) == u'\t' ? QStringLiteral("tsv") : QStringLiteral("csv");
    QFile file;
    for (int i = 1; !file.isOpen(); ++i) {
        const QString number = i == 1 ? QString() : QStringLiteral("-%1").arg(i);
        file.setFileName(QStringLiteral("%1/pasted%2.%3").arg(folder, number, suffix));
        // NewOnly opens no file that is there, so that none is overwritten. A folder that cannot be
        // written ends the search.
        if (!file.open(QIODevice::WriteOnly | QIODevice::NewOnly) && !file.exists()) {
            return {{}, failed.arg(folder, file.errorString())};
        }
    }
    const QByteArray bytes = text.toUtf8() + (text.endsWith(u'\n') ? "" : "\n");
    if (file.write(bytes) != bytes.size() || !file.flush()) {
        const QString reason = file.errorString();
        file.remove();
        return {{}, failed.arg(folder, reason)};
    }
    return {QDir(folder).absoluteFilePath(file.fileName()), {}};
}

} // namespace cannery::ui
