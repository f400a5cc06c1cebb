#include "ui/pages/log_lines.h"

#include "ui/models/formats.h"
#include "ui/services/engine_service.h"
#include "ui/widgets/label.h"
#include "ui/widgets/segmented.h"
#include "ui/widgets/theme.h"

#include <QHBoxLayout>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QTextBlock>
#include <QVBoxLayout>

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

LogLines::LogLines(QWidget* parent)
    : QWidget(parent),
      m_levels(new Segmented({tr("All"), tr("Warnings and errors"), tr("Errors")})),
      m_count(new Label({}, TextRole::Label, Ink::Secondary)), m_text(new QPlainTextEdit)
{
    m_levels->setObjectName("segmented.log_level");
    m_levels->setAccessibleName(tr("Levels of the log"));
    m_text->setObjectName("log.run");
    m_text->setAccessibleName(tr("Log of the run"));
    m_text->setReadOnly(true);
    m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_text->setMaximumBlockCount(EngineService::kLogLimit);
    useFont(m_text, TextRole::Code);
    auto* top = new QHBoxLayout;
    top->addWidget(m_levels);
    top->addWidget(m_count);
    top->addStretch(1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(scaled(8));
    column->addLayout(top);
    column->addWidget(m_text, 1);
    connect(m_levels, &Segmented::currentChanged, this, &LogLines::fill);
    connect(&themeWatch(), &ThemeWatch::changed, this, &LogLines::fill);
}

void LogLines::setEntries(const QList<LogEntry>& entries)
{
    if (entries != m_entries) {
        m_entries = entries;
        fill();
    }
}

QString LogLines::text() const
{
    return m_text->toPlainText();
}

void LogLines::fill()
{
    const int least = m_levels->currentIndex();
    const bool wasAtEnd =
        m_text->verticalScrollBar()->value() == m_text->verticalScrollBar()->maximum();
    m_text->clear();
    QTextCursor cursor(m_text->document());
    cursor.beginEditBlock();
    int shown = 0;
    for (const LogEntry& entry : std::as_const(m_entries)) {
        if (static_cast<int>(entry.level) < least) {
            continue;
        }
        QTextCharFormat format;
        format.setForeground(inkColour(levelInk(entry.level)));
        const QString time = entry.time.isValid() ? formatClock(entry.time) : QString();
        cursor.insertText((shown++ ? QStringLiteral("\n") : QString()) + time +
                              QStringLiteral("  ") + levelWord(entry.level).leftJustified(8) +
                              QStringLiteral("  ") + entry.sentence,
                          format);
    }
    cursor.endEditBlock();
    m_count->setText(m_entries.isEmpty() ? tr("Nothing was logged")
                                         : tr("%1 of %2 lines").arg(shown).arg(m_entries.size()));
    if (wasAtEnd) {
        m_text->verticalScrollBar()->setValue(m_text->verticalScrollBar()->maximum());
    }
}

} // namespace cannery::ui
