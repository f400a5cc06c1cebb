// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/bucket_boundaries.h"

#include <QWidget>

#include <optional>

class QLineEdit;
class QSpinBox;

namespace cannery::ui {

class BucketPlot;
class Label;
class Segmented;

/// The boundaries of a bucketized column: dividers over the histogram of its numbers, the same as a
/// list of text, and buttons that cut at quantiles or into equal widths. It shows what it is given
/// and reports what was changed. GUI thread.
class BucketEditor : public QWidget
{
    Q_OBJECT

public:
    explicit BucketEditor(QWidget* parent = nullptr);

    void setNumbers(const NumberDistribution& numbers);
    /// Must increase strictly. Does not disturb a text that is being typed and means the same.
    void setBoundaries(const QList<double>& boundaries);
    const QList<double>& boundaries() const;

Q_SIGNALS:
    /// The user's boundaries, strictly increasing, at least one. `typing`: one of several changes
    /// in a row that make one.
    void boundariesChanged(const QList<double>& boundaries, bool typing);

private:
    void take(const QList<double>& boundaries, bool typing);
    void readText();
    void showText();
    void showCount();
    void cut();

    Segmented* m_ways;
    QSpinBox* m_count;
    BucketPlot* m_plot;
    QLineEdit* m_text;
    Label* m_problem;
    std::optional<QList<double>> m_beforeTyping; ///< in the text
    Label* m_words;
};

} // namespace cannery::ui
