// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QCoreApplication>
#include <QList>
#include <QString>

#include <functional>

namespace cannery::ui {

struct ColumnFacts;

/// How the numbers of a column are distributed, in the unit that its buckets are cut in.
struct NumberDistribution
{
    QList<double> quantiles; ///< 101: smallest, hundredths, largest; empty if unknown
    QList<double> edges;     ///< of the bins, increasing; one more than counts; empty if unknown
    QList<double> counts;
    bool isWhole = false; ///< all quantiles are whole numbers

    double smallest() const;
    double largest() const;
    bool isEmpty() const { return edges.isEmpty(); }
    /// The same after a function of the numbers that only increases, or only decreases, such as a
    /// normalizer.
    NumberDistribution mapped(const std::function<double(double)>& function) const;

    /// The same in `bins` bins of equal width: from the quantiles, unless the bins are equally wide
    /// already.
    NumberDistribution evened(int bins) const;

    static NumberDistribution of(const ColumnFacts& column);
};

/// Boundaries that divide the values into `buckets` buckets of about as many values each. Values
/// that are frequent make fewer: a boundary appears once, and none is at the smallest value, since
/// the bucket below it would be empty.
QList<double> quantileBoundaries(const NumberDistribution& numbers, int buckets);

/// Boundaries that divide smallest … largest into `buckets` buckets of the same width, rounded to
/// what distinguishes them.
QList<double> equalBoundaries(const NumberDistribution& numbers, int buckets);

/// How far a boundary moves at a time: 1, 2 or 5 times a power of ten, about a two hundredth of the
/// range; at least 1 for whole numbers.
double boundaryStep(const NumberDistribution& numbers);

/// The value at the nearest multiple of the step, without digits that the step does not have.
double roundedToStep(double value, double step);

/// A list as people type it.
struct ReadBoundaries
{
    Q_DECLARE_TR_FUNCTIONS(ReadBoundaries)

public:
    QList<double> values;
    QString problem; ///< a sentence; empty if the values are strictly increasing
};
ReadBoundaries readBoundaries(const QString& text);
/// "5, 10, 18" as it would be typed (typed_number.h), with the shortest digits that read back as
/// the same numbers.
QString boundariesText(const QList<double>& boundaries);
/// "[5, 10, 18]", as an experiment has them.
QString boundariesField(const QList<double>& boundaries);
/// What such a field says; empty if it is not a list of increasing numbers.
QList<double> boundariesOfField(const QString& field);

bool isIncreasing(const QList<double>& boundaries);

} // namespace cannery::ui
