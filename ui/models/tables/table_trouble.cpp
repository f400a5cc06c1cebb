// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/tables/table_trouble.h"

#include "ui/models/formats.h"

#include <QCoreApplication>
#include <QDir>

#include <array>

namespace cannery::ui {
namespace {

struct Words
{
    Q_DECLARE_TR_FUNCTIONS(TableTrouble)
};

/// Errors whose arguments begin with the file and the line.
bool namesLine(const QString& id)
{
    static const QStringList kOfLines{
        "csv.field_count",  "csv.text_after_quote", "csv.open_quote",       "csv.invalid_utf8",
        "csv.not_a_number", "csv.too_large",        "csv.missing",          "csv.field_length",
        "csv.nul_byte",     "csv.record_too_long",  "csv.duplicate_column", "csv.name_not_utf8",
        "csv.invalid_text", "csv.bad_record"};
    return kOfLines.contains(id);
}

} // namespace

bool TableTrouble::isMissing() const
{
    return errorId == "csv.no_such_files" || errorId == "csv.cannot_open" ||
           errorId == "data.file_missing";
}

bool TableTrouble::canSkip() const
{
    // A wrong encoding is wrong in every line.
    return line > 0 && errorId != "csv.invalid_utf8" && errorId != "csv.name_not_utf8";
}

bool TableTrouble::canChangeEncoding() const
{
    return errorId == "csv.invalid_utf8" || errorId == "csv.name_not_utf8" ||
           errorId == "csv.invalid_text";
}

bool TableTrouble::canChangeDelimiter() const
{
    return errorId == "csv.field_count" || errorId == "csv.text_after_quote" ||
           errorId == "csv.duplicate_column";
}

QString TableTrouble::words() const
{
    const QString at = formatCount(line);
    const auto argument = [this](int i) { return arguments.value(i); };
    if (errorId == "csv.field_count") {
        return Words::tr("Line %1 has %2, %3 expected.").arg(at, argument(2), argument(3));
    }
    if (errorId == "csv.text_after_quote") {
        return Words::tr("Line %1: text follows the closing quote of column %2.")
            .arg(at, argument(2));
    }
    if (errorId == "csv.open_quote") {
        return Words::tr("The quote opened in line %1, column %2, is never closed.")
            .arg(at, argument(2));
    }
    if (errorId == "csv.invalid_utf8") {
        return Words::tr("Line %1 is not UTF-8: byte 0x%2 in column %3.")
            .arg(at, argument(2), argument(3));
    }
    if (errorId == "csv.name_not_utf8") {
        return Words::tr("Line %1: the name of column %2 is not UTF-8.").arg(at, argument(2));
    }
    if (errorId == "csv.invalid_text") {
        return Words::tr("Line %1 is not %2: column %3.").arg(at, argument(2), argument(3));
    }
    if (errorId == "csv.not_a_number" || errorId == "csv.too_large") {
        return Words::tr("Line %1: “%2” in column %3 is not a valid %4.")
            .arg(at, argument(2), argument(3), argument(4));
    }
    if (errorId == "csv.missing") {
        return Words::tr("Line %1: column %2 is empty and has no default value.")
            .arg(at, argument(2));
    }
    if (errorId == "csv.nul_byte") {
        return Words::tr("Line %1 has a NUL byte in column %2; it may not be text.")
            .arg(at, argument(2));
    }
    if (isMissing()) {
        return Words::tr("The file %1 does not exist or is not readable.").arg(formatPath(file));
    }
    return sentence;
}

TableTrouble tableTroubleOf(const QString& errorId, const QString& sentence,
                            const QStringList& arguments, const QString& folder)
{
    TableTrouble trouble;
    // What is wrong with other sources has no line to show.
    if (!errorId.startsWith("csv.")) {
        return trouble;
    }
    trouble.errorId = errorId;
    trouble.sentence = sentence;
    trouble.arguments = arguments;
    // The engine names the file as the experiment does.
    trouble.file = QDir::cleanPath(QDir(folder).absoluteFilePath(arguments.value(0)));
    trouble.line = namesLine(errorId) ? arguments.value(1).toLongLong() : 0;
    return trouble;
}

int valuesIn(const QString& line, QChar delimiter)
{
    int values = 1;
    bool isQuoted = false;
    for (const QChar letter : line) {
        if (letter == u'"') {
            isQuoted = !isQuoted;
        } else if (letter == delimiter && !isQuoted) {
            ++values;
        }
    }
    return values;
}

QStringList splitLine(const QString& line, QChar delimiter)
{
    QStringList values;
    QString value;
    bool isQuoted = false;
    for (const QChar letter : line) {
        if (letter == u'"') {
            isQuoted = !isQuoted;
        } else if (letter == delimiter && !isQuoted) {
            values << value;
            value.clear();
        } else {
            value += letter;
        }
    }
    return values << value;
}

QChar likelyDelimiter(const QStringList& lines)
{
    QChar best = u',';
    int most = 0;
    // The one by which most lines have as many values as the first; in doubt, the earlier one here.
    for (const QChar delimiter : {u',', u';', u'\t', u'|'}) {
        const int values = lines.isEmpty() ? 1 : valuesIn(lines.first(), delimiter);
        int agreeing = 0;
        for (const QString& line : lines) {
            agreeing += values > 1 && valuesIn(line, delimiter) == values ? 1 : 0;
        }
        if (agreeing > most) {
            most = agreeing;
            best = delimiter;
        }
    }
    return best;
}

QString delimiterName(QChar delimiter)
{
    switch (delimiter.unicode()) {
    case ',':
        return Words::tr("comma");
    case ';':
        return Words::tr("semicolon");
    case '\t':
        return Words::tr("tab");
    case '|':
        return Words::tr("vertical bar");
    default:
        return delimiter;
    }
}

} // namespace cannery::ui
