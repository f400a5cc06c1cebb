// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QWidget>

class QPlainTextEdit;
class QTextCursor;

namespace cannery::ui {

class UpdateThrottle;
class Button;
class EngineService;
class Label;
class Segmented;
struct LogEntry;

/// The log of one run as selectable text, filtered by level. New lines are appended in batches;
/// while invisible, it does nothing. Shows the newest kShown lines; a button opens the whole file.
/// While the user has scrolled up, the text does not move.
class LogLines : public QWidget
{
    Q_OBJECT

public:
    static constexpr int kShown = 1000;

    explicit LogLines(EngineService& engines, QWidget* parent = nullptr);

    /// Shows the log of a run and starts reading it from its folder.
    void setRun(const QString& run, const QString& folder);
    QString text() const;
    /// The number of lines laid out so far, for tests.
    qint64 linesWritten() const { return m_written; }

private:
    enum View
    {
        All,
        Events,
        WarningsAndErrors,
        Errors,
    };

    QList<LogEntry> entries() const;
    bool shows(const LogEntry& entry) const;
    bool isAtEnd() const;
    void take(const QList<LogEntry>& entries);
    void bringUpToDate();
    void fill();
    void write(const QList<LogEntry>& entries);
    void writeLine(QTextCursor& cursor, const LogEntry& entry);
    void showCount();
    void openFile();

    EngineService* m_engines;
    Segmented* m_levels;
    Label* m_count;
    Button* m_open;
    QPlainTextEdit* m_text;
    UpdateThrottle* m_throttle;
    QString m_run;
    QString m_folder;
    QList<LogEntry> m_news; ///< new since the last update
    bool m_isFresh = false; ///< the text and the news together are all that the service knows
    qint64 m_written = 0;
};

} // namespace cannery::ui
