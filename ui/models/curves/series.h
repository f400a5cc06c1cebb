// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/curves/min_max_pyramid.h"

#include <QString>
#include <QtGlobal>

#include <cstdint>
#include <span>
#include <vector>

namespace cannery::ui {

/// Identifies a logged scalar: the run's folder name, the event folder below it ("" for training,
/// "eval", "eval_<name>") and the tag.
struct SeriesKey
{
    QString run;
    QString folder;
    QString tag;

    bool isEvaluation() const { return !folder.isEmpty(); }
    bool operator==(const SeriesKey&) const = default;
};

size_t qHash(const SeriesKey& key, size_t seed = 0);

/// Points [begin, end) with ascending steps. A resumed run begins a new segment; points of an
/// earlier one from `overwrittenFrom` on were logged again by a later one.
struct SeriesSegment
{
    qsizetype begin = 0;
    qsizetype end = 0;
    qsizetype overwrittenFrom = 0; ///< == end: none

    bool operator==(const SeriesSegment&) const = default;
};

/// All values of one logged scalar, in the order of the event files. Nothing is left out. Owned by
/// the SeriesStore; read and changed on the GUI thread only. Spans are valid until the next change
/// of the series.
class Series
{
public:
    virtual ~Series() = default;

    const SeriesKey& key() const { return m_key; }
    /// Increases by one with every change of the series.
    quint64 revision() const { return m_revision; }

    virtual qsizetype size() const = 0;
    virtual std::span<const std::int64_t> steps() const = 0;
    /// Seconds since wallStart().
    virtual std::span<const float> seconds() const = 0;
    virtual std::span<const float> values() const = 0;
    /// Seconds since 1970 of the first point.
    virtual double wallStart() const = 0;

    const std::vector<SeriesSegment>& segments() const { return m_segments; }
    /// Over values(), by index. NaN and infinities are not in it.
    const MinMaxPyramid& pyramid() const { return m_pyramid; }

    qint64 nanCount() const { return m_nanCount; }
    qint64 positiveInfinityCount() const { return m_positiveInfinityCount; }
    qint64 negativeInfinityCount() const { return m_negativeInfinityCount; }
    /// Steps per epoch, for the epoch axis; 0: unknown.
    double stepsPerEpoch() const { return m_stepsPerEpoch; }

protected:
    explicit Series(SeriesKey key) : m_key(std::move(key)) {}

    SeriesKey m_key;
    quint64 m_revision = 0;
    std::vector<SeriesSegment> m_segments;
    MinMaxPyramid m_pyramid;
    qint64 m_nanCount = 0;
    qint64 m_positiveInfinityCount = 0;
    qint64 m_negativeInfinityCount = 0;
    double m_stepsPerEpoch = 0;
};

} // namespace cannery::ui
