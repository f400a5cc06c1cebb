// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/curves/smoothing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace cannery::ui {

void Smoother::setSmoothing(const Smoothing& smoothing)
{
    Smoothing wanted = smoothing;
    wanted.weight = std::clamp(wanted.weight, 0.0, 0.999);
    wanted.window = std::max(wanted.window, 1);
    if (wanted == m_smoothing && !m_values.empty()) {
        return;
    }
    *this = Smoother();
    m_smoothing = wanted;
}

void Smoother::startSegment(const Series& series, size_t segment)
{
    m_segmentBegun = true;
    m_exponential = {};
    m_window.clear();
    m_windowNext = 0;
    m_sorted.clear();
    m_suffixSums.clear();
    m_prefixSum = 0;
    m_windowIsFull = false;
    if (segment == 0) {
        return;
    }
    // The smoothing state of the resumed run: the values before the first that it logged again.
    const SeriesSegment& before = series.segments()[segment - 1];
    const qsizetype end = std::min(before.overwrittenFrom, before.end);
    if (m_smoothing.kind == SmoothingKind::Exponential) {
        qsizetype last = end;
        while (last > before.begin && !std::isfinite(m_values[size_t(last - 1)])) {
            --last;
        }
        if (last > before.begin) {
            m_exponential.average = m_values[size_t(last - 1)];
            m_exponential.weightPower = std::pow(m_smoothing.weight, double(last - before.begin));
        }
        return;
    }
    const qsizetype begin = std::max(before.begin, end - m_smoothing.window);
    for (qsizetype i = begin; i < end; ++i) {
        const float value = series.values()[size_t(i)];
        if (std::isfinite(value)) {
            windowed(value);
        }
    }
}

bool Smoother::update(const Series& series, qsizetype& budget)
{
    const std::span<const float> values = series.values();
    const std::vector<SeriesSegment>& segments = series.segments();
    if (values.size() < m_values.size()) {
        setSmoothing(std::exchange(*this, Smoother()).m_smoothing);
    }
    const qsizetype end =
        qsizetype(m_values.size()) +
        std::min(std::max<qsizetype>(budget, 0), qsizetype(values.size() - m_values.size()));
    budget -= end - qsizetype(m_values.size());
    m_values.reserve(size_t(end));
    for (qsizetype i = qsizetype(m_values.size()); i < end; ++i) {
        while (m_segment + 1 < segments.size() && i >= segments[m_segment + 1].begin) {
            ++m_segment;
            m_segmentBegun = false;
        }
        if (!m_segmentBegun) {
            startSegment(series, m_segment);
        }
        const float value = values[size_t(i)];
        if (!std::isfinite(value)) {
            m_values.push_back(std::numeric_limits<float>::quiet_NaN());
        } else if (m_smoothing.kind == SmoothingKind::Exponential) {
            m_values.push_back(exponential(value));
        } else {
            m_values.push_back(windowed(value));
        }
    }
    m_pyramid.update(m_values);
    return m_values.size() == values.size();
}

float Smoother::exponential(float value)
{
    Exponential& state = m_exponential;
    // Below this power the divisor is 1 in double precision; it would only become denormal.
    state.weightPower = state.weightPower < 1e-18 ? 0 : state.weightPower * m_smoothing.weight;
    state.average +=
        (1 - m_smoothing.weight) / (1 - state.weightPower) * (double(value) - state.average);
    return float(state.average);
}

float Smoother::windowed(float value)
{
    const auto size = size_t(m_smoothing.window);
    if (m_window.size() < size) {
        m_window.push_back(value);
    } else {
        if (m_windowNext == 0) {
            // The ring is full: recompute sums of its tails, so that values are never subtracted
            // and a spike leaves no trace.
            m_suffixSums.assign(size + 1, 0);
            for (size_t i = size; i-- > 0;) {
                m_suffixSums[i] = m_suffixSums[i + 1] + double(m_window[i]);
            }
            m_prefixSum = 0;
        }
        if (m_smoothing.kind == SmoothingKind::WindowMedian) {
            m_sorted.erase(std::ranges::lower_bound(m_sorted, m_window[m_windowNext]));
        }
        m_window[m_windowNext] = value;
    }
    m_prefixSum += double(value);
    m_windowNext = (m_windowNext + 1) % size;
    m_windowIsFull = m_window.size() == size;
    if (m_smoothing.kind == SmoothingKind::WindowMedian) {
        m_sorted.insert(std::ranges::upper_bound(m_sorted, value), value);
        const size_t middle = m_sorted.size() / 2;
        return m_sorted.size() % 2 == 1
                   ? m_sorted[middle]
                   : float((double(m_sorted[middle - 1]) + double(m_sorted[middle])) / 2);
    }
    return meanOfWindow();
}

float Smoother::meanOfWindow() const
{
    const double tail = m_suffixSums.empty() ? 0 : m_suffixSums[m_windowNext];
    const bool isWhole = m_windowNext == 0 && m_windowIsFull;
    return float((m_prefixSum + (isWhole ? 0 : tail)) / double(m_window.size()));
}

} // namespace cannery::ui
