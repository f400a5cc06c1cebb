// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/curves/axis_brushes.h"

#include "ui/models/formats.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <utility>

namespace cannery::ui {
namespace {

/// A line that ends exactly at the end of a part lies within it.
constexpr double kRounding = 1e-9;

struct BrushWords
{
    Q_DECLARE_TR_FUNCTIONS(AxisBrushes)
};

const StudyAxis* axisOf(const ParameterStudy& study, const QString& path)
{
    const auto found = std::find_if(study.axes.begin(), study.axes.end(),
                                    [&](const StudyAxis& axis) { return axis.path == path; });
    return found == study.axes.end() ? nullptr : &*found;
}

bool liesIn(const AxisPart& part, double place)
{
    return place >= part.from - kRounding && place <= part.to + kRounding;
}

QString wordsOf(const StudyAxis& axis, const AxisPart& part)
{
    if (axis.isNumeric) {
        return BrushWords::tr("%1 %2 to %3")
            .arg(axis.label, formatNumber(numberAt(axis, part.from)),
                 formatNumber(numberAt(axis, part.to)));
    }
    QStringList choices;
    for (qsizetype i = 0; i < axis.choices.size(); ++i) {
        if (liesIn(part, placeOfChoice(axis, i))) {
            choices << axis.choices[i];
        }
    }
    return axis.label + ' ' +
           (choices.isEmpty() ? BrushWords::tr("nothing") : choices.join(QStringLiteral(", ")));
}

} // namespace

std::optional<AxisPart> AxisBrushes::on(const QString& path) const
{
    const auto found = m_parts.find(path);
    return found == m_parts.end() ? std::nullopt : std::optional(*found);
}

void AxisBrushes::set(const QString& path, AxisPart part)
{
    const double one = std::clamp(part.from, 0.0, 1.0);
    const double other = std::clamp(part.to, 0.0, 1.0);
    m_parts.insert(path, {std::min(one, other), std::max(one, other)});
}

void AxisBrushes::follow(const ParameterStudy& before, const ParameterStudy& now)
{
    const QMap<QString, AxisPart> old = std::exchange(m_parts, {});
    for (auto part = old.begin(); part != old.end(); ++part) {
        const StudyAxis* then = axisOf(before, part.key());
        const StudyAxis* axis = axisOf(now, part.key());
        // Choices have places by their order: another list gives them other ones.
        if (then == nullptr || axis == nullptr || then->isNumeric != axis->isNumeric ||
            then->choices != axis->choices) {
            continue;
        }
        if (!axis->isNumeric || (then->min == axis->min && then->max == axis->max)) {
            m_parts.insert(part.key(), *part);
            continue;
        }
        // The brush keeps its numbers, not its place: the axis may have a new range.
        const AxisPart moved{placeOf(*axis, numberAt(*then, part->from)),
                             placeOf(*axis, numberAt(*then, part->to))};
        if (std::isfinite(moved.from) && std::isfinite(moved.to)) {
            set(part.key(), moved);
        }
    }
}

bool AxisBrushes::admits(const ParameterStudy& study, const StudyLine& line) const
{
    for (qsizetype i = 0; i < study.axes.size(); ++i) {
        const std::optional<AxisPart> part = on(study.axes[i].path);
        if (part && !liesIn(*part, line.places[i])) {
            return false; // NaN is nowhere
        }
    }
    return true;
}

QStringList AxisBrushes::chosen(const ParameterStudy& study) const
{
    QStringList runs;
    for (const StudyLine& line : study.lines) {
        if (!isEmpty() && admits(study, line)) {
            runs << line.run;
        }
    }
    return runs;
}

QString AxisBrushes::words(const ParameterStudy& study) const
{
    QStringList words;
    for (const StudyAxis& axis : study.axes) {
        if (const std::optional<AxisPart> part = on(axis.path)) {
            words << wordsOf(axis, *part);
        }
    }
    return words.join(QStringLiteral("; "));
}

} // namespace cannery::ui
