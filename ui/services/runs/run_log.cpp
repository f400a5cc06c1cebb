// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/runs/run_log.h"

#include "storage/io/files.h"
#include "storage/io/open_file.h"
#include "storage/runs/run_files.h"

#include <QFile>
#include <QMultiHash>

#include <algorithm>

namespace cannery::ui {
namespace {

/// Enough bytes for more than kLogLimit ordinary lines; older ones are only in the file.
constexpr qint64 kMostBytes = 1LL << 20;
/// How much is searched for events: about two million steps a day for a month.
constexpr qint64 kMostBytesOfEvents = 256LL << 20;
constexpr qint64 kChunk = 1LL << 20;
constexpr qint64 kLongestLine = 64LL << 10;
/// In lines as the engine writes them.
constexpr QByteArrayView kRoutineLoss(" info - loss = ");
constexpr QByteArrayView kRoutineSpeed(" info - global_step/sec");
constexpr qsizetype kStampLength = 23;
/// The engine stamps its messages when sent, the log when written.
constexpr qint64 kSameMs = 1500;

std::optional<LogLevel> levelOf(QStringView word)
{
    if (word == u"info") {
        return LogLevel::Info;
    }
    if (word == u"warning") {
        return LogLevel::Warning;
    }
    return word == u"error" ? std::optional(LogLevel::Error) : std::nullopt;
}

bool isSame(const LogEntry& a, const LogEntry& b)
{
    return a.sentence == b.sentence && qAbs(a.time.msecsTo(b.time)) < kSameMs;
}

/// A line as the engine writes it now: "2026-11-21T14:30:00.123Z warning health.x A sentence."
std::optional<LogEntry> parseLine(const QString& run, const QString& line)
{
    const QDateTime time = QDateTime::fromString(line.section(u' ', 0, 0), Qt::ISODateWithMs);
    const auto level = levelOf(line.section(u' ', 1, 1));
    if (!time.isValid() || !level) {
        return std::nullopt;
    }
    const QString id = line.section(u' ', 2, 2);
    return LogEntry{run, time.toLocalTime(), *level, id == QLatin1String("-") ? QString() : id,
                    line.section(u' ', 3)};
}

/// Seeks to the first whole line after a position.
void startAt(QFile& file, qint64 position)
{
    file.seek(std::max<qint64>(0, position));
    if (position > 0) {
        file.readLine(kLongestLine);
    }
}

/// The non-routine part of the file before a position, as written; goes line by line, so that
/// millions of routine lines cost no more than reading them.
QByteArray eventsBefore(QFile& file, qint64 end)
{
    QByteArray found;
    startAt(file, end - kMostBytesOfEvents);
    QByteArray rest;
    while (file.pos() < end) {
        const QByteArray chunk = rest + file.read(std::min(kChunk, end - file.pos()));
        qsizetype begin = 0;
        for (qsizetype stop = chunk.indexOf('\n'); stop >= 0; stop = chunk.indexOf('\n', begin)) {
            const QByteArrayView line(chunk.constData() + begin, stop + 1 - begin);
            // Compared as bytes: decoding and parsing each line would take far longer.
            if (!line.contains(kRoutineLoss) && !line.contains(kRoutineSpeed)) {
                found.append(line);
            }
            begin = stop + 1;
        }
        // A line that does not end is not a log; keeping it would take memory without limit.
        rest = chunk.size() - begin > kLongestLine ? QByteArray() : chunk.mid(begin);
        // Twice as much may gather first, so that it is seldom moved.
        if (found.size() > 2 * kMostBytes) {
            found.remove(0, found.size() - kMostBytes);
        }
    }
    return found;
}

QList<LogEntry> newest(const QList<LogEntry>& lines)
{
    return lines.size() > EngineService::kLogLimit ? lines.last(EngineService::kLogLimit) : lines;
}

/// Removes the oldest entry that is neither a note nor a warning.
void addEvent(QList<LogEntry>& events, const LogEntry& event)
{
    events.append(event);
    if (events.size() <= EngineService::kEventLimit) {
        return;
    }
    const auto ordinary = std::find_if(events.begin(), events.end(), [](const LogEntry& old) {
        return old.id.isEmpty() && old.level == LogLevel::Info;
    });
    events.erase(ordinary == events.end() ? events.begin() : ordinary);
}

} // namespace

bool isRoutine(const LogEntry& entry)
{
    return entry.level == LogLevel::Info && entry.id.isEmpty() &&
           (entry.sentence.startsWith(QLatin1String("loss = ")) ||
            entry.sentence.startsWith(QLatin1String("global_step/sec")) ||
            entry.sentence.startsWith(QLatin1String("Skip evaluating step")));
}

void RunLog::append(const QList<LogEntry>& entries)
{
    if (const qsizetype over = lines.size() + entries.size() - EngineService::kLogLimit; over > 0) {
        // Removes a tenth at once, so that a long log does not move with every line.
        lines.remove(0, std::min<qsizetype>(lines.size(), over + EngineService::kLogLimit / 10));
    }
    lines.append(entries.size() > EngineService::kLogLimit ? newest(entries) : entries);
    for (const LogEntry& entry : entries) {
        if (!isRoutine(entry)) {
            addEvent(events, entry);
        }
    }
}

QList<LogEntry> parseRunLog(const QString& run, const QByteArray& text)
{
    QList<LogEntry> entries;
    const QStringList lines = QString::fromUtf8(text).split(u'\n', Qt::SkipEmptyParts);
    for (const QString& line : lines) {
        if (std::optional<LogEntry> entry = parseLine(run, line)) {
            entries << *entry;
            continue;
        }
        // A log of an older engine: "2026-11-21 14:30:00.123 warning: A sentence."
        const qsizetype colon = line.indexOf(QLatin1String(": "), kStampLength);
        const QDateTime time = QDateTime::fromString(line.left(kStampLength),
                                                     QStringLiteral("yyyy-MM-dd HH:mm:ss.zzz"));
        const auto level =
            colon < 0 ? std::nullopt
                      : levelOf(QStringView(line).mid(kStampLength + 1, colon - kStampLength - 1));
        if (time.isValid() && level) {
            entries << LogEntry{run, time, *level, {}, line.mid(colon + 2)};
        } else if (!entries.isEmpty()) {
            // A sentence of several lines goes on.
            entries.last().sentence += u'\n' + line;
        }
    }
    return entries;
}

RunLog readRunLog(const QString& run, const QString& folder)
{
    // Through storage, which follows no link out of the run's folder.
    const auto descriptor = storage::openToRead(
        storage::joinPath(QFile::encodeName(folder).toStdString(), storage::kRunLogFile));
    QFile file;
    if (!descriptor || !file.open(*descriptor, QIODevice::ReadOnly, QFile::AutoCloseHandle)) {
        return {};
    }
    const qint64 size = file.size();
    RunLog log;
    // First the events from before, of which only the events are kept; then the end, whole.
    log.append(parseRunLog(run, eventsBefore(file, size - kMostBytes)));
    log.lines.clear();
    startAt(file, size - kMostBytes);
    log.append(parseRunLog(run, file.read(kMostBytes)));
    return log;
}

QList<LogEntry> mergedLog(QList<LogEntry> file, const QList<LogEntry>& reported)
{
    // By sentence: comparing each line with each would take seconds.
    QMultiHash<QString, qsizetype> places;
    for (qsizetype i = 0; i < file.size(); ++i) {
        places.insert(file[i].sentence, i);
    }
    for (const LogEntry& entry : reported) {
        const auto [first, last] = places.equal_range(entry.sentence);
        const auto known =
            std::find_if(first, last, [&](qsizetype place) { return isSame(file[place], entry); });
        if (known == last) {
            file << entry;
        } else {
            // A log in the older format has no ids.
            file[*known].id = entry.id;
        }
    }
    // Stable: lines of one moment keep the order of the file.
    std::stable_sort(file.begin(), file.end(),
                     [](const LogEntry& a, const LogEntry& b) { return a.time < b.time; });
    return file;
}

RunLog mergedLog(const RunLog& file, const RunLog& reported)
{
    RunLog merged;
    merged.lines = newest(mergedLog(file.lines, reported.lines));
    for (const LogEntry& event : mergedLog(file.events, reported.events)) {
        addEvent(merged.events, event);
    }
    return merged;
}

} // namespace cannery::ui
