// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/runs/log_lines.h"

#include "ui/models/formats.h"
#include "ui/services/engine_service.h"
#include "ui/services/runs/run_log.h"
#include "ui/widgets/behaviour/update_throttle.h"
#include "ui/widgets/button.h"
#include "ui/widgets/label.h"
#include "ui/widgets/segmented.h"
#include "ui/widgets/style/theme.h"

#include <QDesktopServices>
#include <QHBoxLayout>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QTextCursor>
#include <QUrl>
#include <QVBoxLayout>

#include <algorithm>

namespace cannery::ui {
namespace {

QString levelWord(LogLevel level)
{
    switch (level) {
    case LogLevel::Info:
        return LogLines::tr("info");
    case LogLevel::Warning:
        return LogLines::tr("warning");
    case LogLevel::Error:
        return LogLines::tr("error");
    }
    return {};
}

Ink levelInk(LogLevel level)
{
    switch (level) {
    case LogLevel::Info:
        return Ink::Text;
    case LogLevel::Warning:
        return Ink::Warn;
    case LogLevel::Error:
        return Ink::Error;
    }
    return Ink::Text;
}

} // namespace

LogLines::LogLines(EngineService& engines, QWidget* parent)
    : QWidget(parent), m_engines(&engines),
      m_levels(new Segmented({tr("All"), tr("Events"), tr("Warnings and errors"), tr("Errors")})),
      m_count(new Label({}, TextRole::Label, Ink::Secondary)),
      m_open(new Button(Button::Kind::Quiet, tr("Open Full Log"))), m_text(new QPlainTextEdit),
      m_throttle(new UpdateThrottle(m_text, [this] { bringUpToDate(); }))
{
    m_levels->setObjectName("segmented.log_level");
    m_levels->setAccessibleName(tr("Log levels"));
    m_count->setObjectName("label.log_count");
    m_open->setObjectName("button.open_log_file");
    m_open->setToolTip(tr("Opens train.log in the text editor"));
    m_text->setObjectName("log.run");
    m_text->setAccessibleName(tr("Run log"));
    m_text->setReadOnly(true);
    m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_text->setMaximumBlockCount(kShown);
    // Nobody edits it, and its history would keep every line.
    m_text->setUndoRedoEnabled(false);
    useFont(m_text, TextRole::Code);
    auto* top = new QHBoxLayout;
    top->addWidget(m_levels);
    top->addWidget(m_count);
    top->addStretch(1);
    top->addWidget(m_open);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(scaled(8));
    column->addLayout(top);
    column->addWidget(m_text, 1);
    const auto anew = [this] {
        m_isFresh = false;
        m_throttle->changed();
    };
    connect(m_levels, &Segmented::currentChanged, this, anew);
    connect(&themeWatch(), &ThemeWatch::changed, this, anew);
    connect(m_open, &QPushButton::clicked, this, &LogLines::openFile);
    connect(m_text->verticalScrollBar(), &QScrollBar::valueChanged, m_throttle, [this] {
        if (isAtEnd() && (!m_isFresh || !m_news.isEmpty())) {
            m_throttle->changed();
        }
    });
    connect(m_engines, &EngineService::logChanged, this, [this, anew](const QString& run) {
        if (run == m_run) {
            anew();
        }
    });
    connect(m_engines, &EngineService::logged, this,
            [this](const QString& run, const QList<LogEntry>& entries) {
                if (run == m_run) {
                    take(entries);
                }
            });
}

void LogLines::setRun(const QString& run, const QString& folder)
{
    m_run = run;
    m_folder = folder;
    m_text->clear();
    m_news.clear();
    m_isFresh = false;
    m_engines->readLog(run, folder);
    m_throttle->changed();
}

QString LogLines::text() const
{
    return m_text->toPlainText();
}

QList<LogEntry> LogLines::entries() const
{
    return m_levels->currentIndex() == All ? m_engines->log(m_run) : m_engines->events(m_run);
}

bool LogLines::shows(const LogEntry& entry) const
{
    switch (m_levels->currentIndex()) {
    case Events:
        return !isRoutine(entry);
    case WarningsAndErrors:
        return entry.level != LogLevel::Info;
    case Errors:
        return entry.level == LogLevel::Error;
    default:
        return true;
    }
}

bool LogLines::isAtEnd() const
{
    const QScrollBar* bar = m_text->verticalScrollBar();
    return bar->value() >= bar->maximum();
}

void LogLines::take(const QList<LogEntry>& entries)
{
    // While nobody sees it, lines are not collected: they are in the log, which is then read as a
    // whole.
    if (!m_isFresh || !m_throttle->isPaid() || m_news.size() + entries.size() > kShown) {
        m_isFresh = false; // read as a whole once visible
        m_news.clear();
    } else {
        m_news.append(entries);
    }
    m_throttle->changed();
}

void LogLines::bringUpToDate()
{
    // Text that has been scrolled back to must not move while it is read.
    if (m_text->document()->isEmpty() || isAtEnd()) {
        if (m_isFresh) {
            write(m_news);
        } else {
            fill();
        }
        m_news.clear();
        m_isFresh = true;
    }
    showCount();
}

void LogLines::fill()
{
    QList<LogEntry> shown;
    const QList<LogEntry> known = entries();
    // From the newest, as only so many are shown.
    for (auto entry = known.crbegin(); entry != known.crend() && shown.size() < kShown; ++entry) {
        if (shows(*entry)) {
            shown.append(*entry);
        }
    }
    std::reverse(shown.begin(), shown.end());
    m_text->clear();
    write(shown);
}

void LogLines::write(const QList<LogEntry>& entries)
{
    QTextCursor cursor(m_text->document());
    cursor.movePosition(QTextCursor::End);
    // One layout for all lines.
    cursor.beginEditBlock();
    for (const LogEntry& entry : entries) {
        if (shows(entry)) {
            writeLine(cursor, entry);
        }
    }
    cursor.endEditBlock();
    m_text->verticalScrollBar()->setValue(m_text->verticalScrollBar()->maximum());
}

void LogLines::writeLine(QTextCursor& cursor, const LogEntry& entry)
{
    QTextCharFormat format;
    format.setForeground(inkColour(levelInk(entry.level)));
    const QString time = entry.time.isValid() ? formatClock(entry.time) : QString();
    cursor.insertText((m_text->document()->isEmpty() ? QString() : QStringLiteral("\n")) + time +
                          QStringLiteral("  ") + levelWord(entry.level).leftJustified(8) +
                          QStringLiteral("  ") + entry.sentence,
                      format);
    ++m_written;
}

void LogLines::showCount()
{
    const QList<LogEntry> known = entries();
    const auto passing = std::count_if(known.begin(), known.end(),
                                       [this](const LogEntry& entry) { return shows(entry); });
    QString words = tr("%1 of %2 lines").arg(formatCount(passing), formatCount(known.size()));
    if (known.isEmpty()) {
        words = tr("Nothing was logged");
    } else if (passing > kShown) {
        words = tr("The newest %1 lines").arg(formatCount(kShown));
    }
    if (!m_isFresh || !m_news.isEmpty()) {
        words = tr("%1 · more below when you scroll to the end").arg(words);
    }
    m_count->setText(words);
    m_open->setEnabled(!known.isEmpty());
}

void LogLines::openFile()
{
    const QString file = m_folder + QStringLiteral("/train.log");
    if (!QDesktopServices::openUrl(QUrl::fromLocalFile(file))) {
        m_count->setText(tr("No program can open %1.").arg(formatPath(file)));
    }
}

} // namespace cannery::ui
