#include "ui/services/run_log.h"

#include "storage/runs/run_files.h"

#include <QFile>

#include <algorithm>

namespace cannery::ui {
namespace {

/// More than kLogLimit ordinary lines; older ones are in the file for whoever opens it.
constexpr qint64 kMostBytes = 1LL << 20;
constexpr qsizetype kStampLength = 23;
/// The engine stamps what it says, the log when it is written.
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

} // namespace

QList<LogEntry> parseRunLog(const QString& run, const QByteArray& text)
{
    QList<LogEntry> entries;
    const QStringList lines = QString::fromUtf8(text).split(u'\n', Qt::SkipEmptyParts);
    for (const QString& line : lines) {
        if (std::optional<LogEntry> entry = parseLine(run, line)) {
            entries << *entry;
            continue;
        }
        const qsizetype colon = line.indexOf(QLatin1String(": "), kStampLength);
        const QDateTime time = QDateTime::fromString(line.left(kStampLength),
                                                     QStringLiteral("yyyy-MM-dd HH:mm:ss.zzz"));
        const auto level =
            colon < 0 ? std::nullopt
                      : levelOf(QStringView(line).mid(kStampLength + 1, colon - kStampLength - 1));
        if (time.isValid() && level) {
            entries << LogEntry{run, time, *level, {}, line.mid(colon + 2)};
        } else if (!entries.isEmpty()) {
            entries.last().sentence += u'\n' + line;
        }
    }
    return entries.size() > EngineService::kLogLimit ? entries.last(EngineService::kLogLimit)
                                                     : entries;
}

QList<LogEntry> readRunLog(const QString& run, const QString& folder)
{
    QFile file(folder + u'/' +
               QString::fromUtf8(storage::kRunLogFile.data(),
                                 static_cast<qsizetype>(storage::kRunLogFile.size())));
    if (!file.open(QIODevice::ReadOnly)) {
        return {};
    }
    if (file.size() > kMostBytes) {
        file.seek(file.size() - kMostBytes);
        file.readLine();
    }
    return parseRunLog(run, file.readAll());
}

QList<LogEntry> mergedLog(QList<LogEntry> file, const QList<LogEntry>& said)
{
    for (const LogEntry& entry : said) {
        const auto known = std::find_if(file.rbegin(), file.rend(),
                                        [&](const LogEntry& line) { return isSame(line, entry); });
        if (known == file.rend()) {
            file << entry;
        } else {
            known->id = entry.id;
        }
    }
    std::stable_sort(file.begin(), file.end(),
                     [](const LogEntry& a, const LogEntry& b) { return a.time < b.time; });
    return file.size() > EngineService::kLogLimit ? file.last(EngineService::kLogLimit) : file;
}

} // namespace cannery::ui
