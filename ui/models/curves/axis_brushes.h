// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/runs/parameter_study.h"

#include <QMap>

#include <optional>

namespace cannery::ui {

/// A part of an axis, from 0 (bottom) to 1 (top).
struct AxisPart
{
    double from = 0;
    double to = 1;

    bool operator==(const AxisPart&) const = default;
};

/// Marked parts of the axes of a study: the runs whose lines go through all of them are chosen.
class AxisBrushes
{
public:
    bool isEmpty() const { return m_parts.isEmpty(); }
    /// By the axis' path.
    std::optional<AxisPart> on(const QString& path) const;
    /// Put in order, and limited to the axis.
    void set(const QString& path, AxisPart part);
    void clear(const QString& path) { m_parts.remove(path); }
    void clear() { m_parts.clear(); }

    /// Keeps marking the same values in a newer study; drops parts of axes that it does not have.
    void follow(const ParameterStudy& before, const ParameterStudy& now);
    bool admits(const ParameterStudy& study, const StudyLine& line) const;
    /// The chosen runs; empty without a marked part.
    QStringList chosen(const ParameterStudy& study) const;
    /// "learning_rate 0.01 to 0.1, optimizer adam".
    QString words(const ParameterStudy& study) const;

private:
    QMap<QString, AxisPart> m_parts;
};

} // namespace cannery::ui
