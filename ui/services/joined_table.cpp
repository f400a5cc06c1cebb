// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/joined_table.h"

#include <QByteArrayView>
#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QList>
#include <QSaveFile>

namespace cannery::ui {
namespace {

constexpr qint64 kJoinPiece = 1 << 20;
constexpr qsizetype kLongestRecord = 64 << 20; ///< bytes; longer ones follow a quote left open

struct JoinWords
{
    Q_DECLARE_TR_FUNCTIONS(JoinedTable)
};

/// A line of the table, with the line breaks in its quoted values.
struct Record
{
    QByteArray bytes;
    QList<qsizetype> ends; ///< of its values, each before a delimiter or the line's end

    bool isBlank() const { return ends.size() == 1 && ends.first() == 0; }
    QByteArrayView value(qsizetype i) const
    {
        const qsizetype begin = i == 0 ? 0 : ends[i - 1] + 1;
        return QByteArrayView(bytes).sliced(begin, ends[i] - begin);
    }
};

/// Cuts a file into records, without decoding.
class RecordWalk
{
public:
    RecordWalk(QFile& file, char delimiter) : m_file(file), m_delimiter(delimiter) {}

    bool isTooLong() const { return m_isTooLong; }

    bool next(Record& record)
    {
        record.bytes.clear();
        record.ends.clear();
        m_state = State::Begin;
        while (m_at < m_piece.size() || refill()) {
            while (m_at < m_piece.size()) {
                const char byte = m_piece[m_at++];
                // Plain bytes, not characters: a delimiter or a quote is never part of another
                // character in UTF-8 or an 8-bit encoding.
                if (byte == '\n' && m_state != State::Quoted) {
                    end(record);
                    record.bytes += byte;
                    return true;
                }
                take(record, byte);
            }
            if (record.bytes.size() > kLongestRecord) {
                m_isTooLong = true;
                return false;
            }
        }
        if (record.bytes.isEmpty()) {
            return false;
        }
        end(record);
        return true;
    }

private:
    enum class State
    {
        Begin, ///< of a value
        Plain,
        Quoted,
        AfterQuote,
    };

    bool refill()
    {
        const bool isFirst = m_file.pos() == 0;
        m_piece = m_file.read(kJoinPiece);
        m_at = 0;
        m_hasMark = m_hasMark || (isFirst && m_piece.startsWith("\xEF\xBB\xBF"));
        return !m_piece.isEmpty();
    }

    void take(Record& record, char byte)
    {
        // The three bytes of the mark leave the state as it is, so that a quote after them opens a
        // value.
        const bool isMark =
            m_hasMark && record.ends.isEmpty() && m_state == State::Begin && m_markSeen < 3;
        if (byte == m_delimiter && m_state != State::Quoted) {
            record.ends << record.bytes.size();
            m_state = State::Begin;
        } else if (isMark) {
            ++m_markSeen;
        } else if (byte == '"') {
            // A quote within a plain value is a character of it; a second one within quotes stands
            // for one (RFC 4180).
            m_state = m_state == State::Begin || m_state == State::AfterQuote ? State::Quoted
                      : m_state == State::Quoted                              ? State::AfterQuote
                                                                              : m_state;
        } else if (m_state != State::Quoted) {
            m_state = State::Plain;
        }
        record.bytes += byte;
    }

    static void end(Record& record)
    {
        // "\r\n" ends a line as well, and belongs to no value.
        const bool hasReturn = record.bytes.endsWith('\r');
        record.ends << record.bytes.size() - (hasReturn ? 1 : 0);
    }

    QFile& m_file;
    char m_delimiter;
    QByteArray m_piece;
    qsizetype m_at = 0;
    State m_state = State::Begin;
    bool m_hasMark = false; ///< the file begins with a byte order mark
    int m_markSeen = 0;
    bool m_isTooLong = false;
};

QByteArray unquotedValue(QByteArrayView value)
{
    QByteArray text = value.toByteArray();
    if (text.size() >= 2 && text.startsWith('"') && text.endsWith('"')) {
        text = text.mid(1, text.size() - 2).replace("\"\"", "\"");
    }
    return text;
}

QByteArray joinedRecord(const Record& record, const ValueJoin& join)
{
    const QByteArrayView first = record.value(join.column);
    const QByteArrayView second = record.value(join.column + 1);
    // The delimiter between them becomes a character of the value, so the result is quoted.
    QByteArray text = unquotedValue(first) + join.delimiter.toLatin1() + unquotedValue(second);
    const qsizetype begin = record.ends[join.column] - first.size();
    const qsizetype end = record.ends[join.column + 1];
    return record.bytes.left(begin) + '"' + text.replace("\"", "\"\"") + '"' +
           record.bytes.mid(end);
}

/// `output` is where the copy goes; if it is null, the values are only counted.
JoinedTable walkJoins(const ValueJoin& join, QIODevice* output, const std::atomic_bool& isCancelled)
{
    JoinedTable result;
    QFile file(join.file);
    if (!QFileInfo(join.file).isFile() || !file.open(QIODevice::ReadOnly)) {
        result.problem = JoinWords::tr("%1 cannot be read.").arg(join.file);
        return result;
    }
    RecordWalk walk(file, join.delimiter.toLatin1());
    Record record;
    bool isHeader = true;
    while (!isCancelled && walk.next(record)) {
        const bool isJoined = record.ends.size() == join.values + 1;
        if (record.ends.size() == join.values || isJoined) {
            result.rows += isHeader ? 0 : 1;
            result.joined += isJoined ? 1 : 0;
            isHeader = false;
        } else if (!record.isBlank()) {
            // Blank lines are not rows, and need no mending.
            ++result.stillBad;
        }
        if (output != nullptr &&
            output->write(isJoined ? joinedRecord(record, join) : record.bytes) < 0) {
            result.problem =
                JoinWords::tr("The copy cannot be written: %1.").arg(output->errorString());
            return result;
        }
    }
    if (isCancelled) {
        result.problem = JoinWords::tr("Cancelled.");
    } else if (walk.isTooLong()) {
        result.problem = JoinWords::tr("%1 has a quote that is never closed.").arg(join.file);
    }
    return result;
}

} // namespace

JoinedTable countJoins(const ValueJoin& join, const std::atomic_bool& isCancelled)
{
    return walkJoins(join, nullptr, isCancelled);
}

JoinedTable writeJoined(const ValueJoin& join, const QString& folder,
                        const std::atomic_bool& isCancelled)
{
    // The table itself is never changed: the copy gets a name that is free.
    const QFileInfo source(join.file);
    const QString stem = QStringLiteral("%1/%2-joined").arg(folder, source.completeBaseName());
    const QString suffix = source.suffix().isEmpty() ? QString() : '.' + source.suffix();
    QString path = stem + suffix;
    for (int i = 2; QFileInfo::exists(path); ++i) {
        path = QStringLiteral("%1-%2%3").arg(stem).arg(i).arg(suffix);
    }
    JoinedTable result;
    QSaveFile copy(path);
    if (!QDir().mkpath(folder) || !copy.open(QIODevice::WriteOnly)) {
        result.problem = JoinWords::tr("The copy cannot be written into %1.").arg(folder);
        return result;
    }
    result = walkJoins(join, &copy, isCancelled);
    if (result.problem.isEmpty() && !copy.commit()) {
        result.problem = JoinWords::tr("The copy cannot be written: %1.").arg(copy.errorString());
    }
    if (result.problem.isEmpty()) {
        result.file = QFileInfo(path).absoluteFilePath();
    }
    return result;
}

} // namespace cannery::ui
