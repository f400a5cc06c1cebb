// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QList>
#include <QString>
#include <QWidget>

namespace cannery::ui {

/// Facts in a row that wraps: a heavier number and its grey unit ("39 s" "left").
class FactRow : public QWidget
{
    Q_OBJECT

public:
    struct Fact
    {
        QString number; ///< "7,440"
        QString unit;   ///< "of 12,000 steps"
        QString tip;

        bool operator==(const Fact&) const = default;
    };

    explicit FactRow(QWidget* parent = nullptr);

    /// Changes only what differs.
    void setFacts(const QList<Fact>& facts);
    const QList<Fact>& facts() const { return m_facts; }

private:
    QList<Fact> m_facts;
    QList<QWidget*> m_parts;
};

} // namespace cannery::ui
