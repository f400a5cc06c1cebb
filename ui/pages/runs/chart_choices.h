// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/curves/chart_options.h"

#include <QHash>
#include <QString>
#include <QStringList>

class QJsonObject;

namespace cannery::ui {

/// What a person has chosen for the charts of Runs: options that all cards share, the y axes of
/// single cards, tags that are drawn together, and pinned tags. A card has the name of its tag.
class ChartChoices
{
public:
    const ChartOptions& shared() const { return m_shared; }
    void setShared(const ChartOptions& options) { m_shared = options; }
    /// Those of a card: the shared ones with its own y axis.
    ChartOptions optionsOf(const QString& tag) const;
    /// An option set on one card applies to all, except for its y axis.
    void takeFrom(const QString& tag, const ChartOptions& options);
    /// Turns an option of all cards on or off, also of those with a y axis of their own.
    void toggle(bool ChartOptions::*option);
    /// Every card shows all values of y.
    void resetY();

    /// The tags that are drawn on another one's card.
    QStringList overlaid(const QString& tag) const { return m_overlays.value(tag); }
    void overlay(const QString& tag, const QString& added);
    void removeOverlaid(const QString& tag) { m_overlays.remove(tag); }

    const QStringList& pinned() const { return m_pinned; }
    void setPinned(const QString& tag, bool pinned);
    /// Pins these until a person pins one or takes one away.
    void proposePinned(const QStringList& tags);

    /// As members of the page's state.
    void save(QJsonObject& state) const;
    void restore(const QJsonObject& state);

private:
    ChartOptions m_shared;
    QHash<QString, ChartOptions> m_own; ///< log y, outliers and y limits by tag
    QHash<QString, QStringList> m_overlays;
    QStringList m_pinned;
    bool m_hasPinned = false; ///< by a person
};

} // namespace cannery::ui
