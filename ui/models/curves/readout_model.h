// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/tables/table_model.h"

#include <QList>
#include <QString>

#include <optional>

namespace cannery::ui {

/// The value of one curve at the cursor.
struct ReadoutEntry
{
    QString run;
    QString label;
    QString source; ///< "training", "evaluation", "evaluation test"
    int colourSlot = 0;
    qint64 step = 0;
    float value = 0; ///< as logged, not as drawn
    std::optional<double> smoothed;
    double wallTime = 0;   ///< seconds since 1970
    double sinceStart = 0; ///< seconds

    bool operator==(const ReadoutEntry&) const = default;
};

/// The table docked below the charts: every run's value at the cursor, and above them the pinned
/// values at other steps. The view sorts it. GUI thread.
class ReadoutModel : public TableModel
{
    Q_OBJECT

public:
    enum Column
    {
        Swatch,
        Run,
        Source,
        Step,
        Value,
        Smoothed,
        DeltaToBest,
        WallClock,
        SinceStart,
        ColumnCount,
    };
    enum Role
    {
        SortRole = Qt::UserRole,
        SlotRole,
        PinnedRole,
        RunRole,
    };

    explicit ReadoutModel(QObject* parent = nullptr);

    /// Rows at the cursor; empty without one. `higherIsBetter` decides which value is best.
    void setEntries(const QList<ReadoutEntry>& entries, const QString& tag, bool higherIsBetter);
    const QList<ReadoutEntry>& entries() const { return m_entries; }
    const QString& tag() const { return m_tag; }

    /// Pins the current rows above those of the moving cursor.
    void pin();
    void unpin();
    bool hasPinned() const { return !m_pinned.isEmpty(); }

    /// The header and the given rows (all if empty), tab-separated, in full precision.
    QString asTabSeparated(const QList<int>& rows = {}) const;
    QString asCsv() const;

protected:
    qsizetype countRows() const override { return m_pinned.size() + m_entries.size(); }
    qsizetype countColumns() const override { return ColumnCount; }
    QVariant cell(int row, int column, int role) const override;
    QVariant header(int column, int role) const override;
    bool isNumber(int column) const override { return column >= Step; }

private:
    const ReadoutEntry& entry(int row) const;
    std::optional<double> delta(int row) const;
    QString displayText(int row, int column) const;
    QString exactText(int row, int column) const;
    QVariant sortValue(int row, int column) const;

    QList<ReadoutEntry> m_pinned;
    QList<ReadoutEntry> m_entries;
    QString m_tag;
    bool m_higherIsBetter = true;
};

} // namespace cannery::ui
