// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/widgets/style/theme.h"

#include <QObject>
#include <QStringList>

class QPainter;

namespace cannery::ui {

struct ChartPlot;

/// The line above a chart, in pixels and in words: title, last values, warnings. The card paints
/// it. GUI thread.
class ChartHeader : public QObject
{
    Q_OBJECT

public:
    /// In design pixels.
    struct Look
    {
        int height;
        int padding;
        TextRole value;
    };

    ChartHeader(const ChartPlot& plot, const Look& look);

    void setTag(const QString& tag);
    QString tag() const { return m_tag; }
    void setTitle(const QString& title);
    QString title() const { return m_title; }
    /// Grey text before the headline number: "best 0.8388", "loading 38 %".
    void setNote(const QString& note);
    /// The label of the one-run curve whose last value is the headline; the label is shown next to
    /// it, and the values of the others are smaller and labelled too. Empty: the first curve,
    /// without labels.
    void setHeadline(const QString& label);

    QString summary() const; ///< "loss, 2 runs, last 0.31, falling"
    /// The tag if the title is another text, and the warnings.
    QString toolTip() const;
    int height() const; ///< in pixels
    /// Between the card's left edge and `right`.
    void paint(QPainter& painter, double right) const;

Q_SIGNALS:
    void changed();

private:
    double paintValues(QPainter& painter, double right) const;
    /// The curve whose last value is the headline: the requested one, otherwise the first, if there
    /// is one run; -1 for several runs.
    int headlineCurve() const;
    /// "train 0.3124": the last values next to the headline; of one curve, empty if it has none.
    QStringList otherValues() const;
    QString otherValue(int curve) const;
    QStringList warnings() const; ///< "3 NaN", "37 values ≤ 0 hidden"

    const ChartPlot& m_plot;
    Look m_look;
    QString m_tag;
    QString m_title;
    QString m_note;
    QString m_headline;
};

} // namespace cannery::ui
