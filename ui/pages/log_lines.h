#pragma once

#include <QWidget>

class QPlainTextEdit;

namespace cannery::ui {

class EngineService;
class Label;
class Segmented;
struct LogEntry;

/// The log of one run as text that can be selected, with its levels.
class LogLines : public QWidget
{
    Q_OBJECT

public:
    explicit LogLines(QWidget* parent = nullptr);

    void setEntries(const QList<LogEntry>& entries);
    QString text() const;

private:
    void fill();

    Segmented* m_levels;
    Label* m_count;
    QPlainTextEdit* m_text;
    QList<LogEntry> m_entries;
};

} // namespace cannery::ui
