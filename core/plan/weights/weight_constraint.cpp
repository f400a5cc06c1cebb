// SPDX-License-Identifier: Apache-2.0
#include "core/plan/weights/weight_constraint.h"

#include "core/base/check.h"
#include "core/graph/weight_rules.h"

#include <algorithm>
#include <cmath>

namespace cannery::plan {

namespace {

/// keras.backend.epsilon(), which Keras adds to lengths before it divides by them.
constexpr float kEpsilon = 1e-7F;

/// Which ring around the middle a cell is on, seen along one axis: 0 the innermost.
std::int64_t ringOf(std::int64_t place, std::int64_t size)
{
    const std::int64_t middle = size / 2;
    if (size % 2 == 1) {
        return std::abs(place - middle);
    }
    return place >= middle ? place - middle : middle - 1 - place;
}

/// The cell of the diagonal that a ring takes its values from. Of an odd size that is the cell of
/// the ring inside it, and of the middle cell the one before it: Keras's loop begins one too early
/// (RadialConstraint._kernel_constraint). Followed, so that a network that was trained there goes
/// on as it would.
std::int64_t sourceOf(std::int64_t ring, std::int64_t size)
{
    const std::int64_t middle = size / 2;
    if (ring == 0) {
        return middle - 1;
    }
    return size % 2 == 1 ? middle + ring - 1 : middle + ring;
}

} // namespace

WeightConstraint::WeightConstraint(spec::Constraint constraint, const Shape& shape)
    : m_constraint(std::move(constraint)), m_dims(shape.dims.begin(), shape.dims.end())
{
    if (m_constraint.has_radial()) {
        CANNERY_CHECK(shape.rank() == 4);
        m_rings.resize(static_cast<std::size_t>((m_dims[0] + 1) / 2 * m_dims[2] * m_dims[3]));
        return;
    }
    const std::vector<std::int64_t> axes = graph::axesOf(m_constraint);
    if (axes.empty()) {
        return;
    }
    std::int64_t vectors = 1;
    m_vectorSteps.resize(m_dims.size());
    for (std::size_t axis = m_dims.size(); axis-- > 0;) {
        if (std::ranges::count(axes, static_cast<std::int64_t>(axis)) == 0) {
            m_vectorSteps[axis] = vectors;
            vectors *= m_dims[axis];
        }
    }
    m_squares.resize(static_cast<std::size_t>(vectors));
    m_factors.resize(static_cast<std::size_t>(vectors));
}

template <typename Work>
void WeightConstraint::forEachElement(const Work& work) const
{
    const std::int64_t cols = m_dims.back();
    const auto step = static_cast<std::size_t>(m_vectorSteps.back());
    std::int64_t rows = 1;
    for (std::size_t axis = 0; axis + 1 < m_dims.size(); ++axis) {
        rows *= m_dims[axis];
    }
    std::size_t element = 0;
    for (std::int64_t row = 0; row < rows; ++row) {
        std::int64_t first = 0;
        std::int64_t rest = row;
        for (std::size_t axis = m_dims.size() - 1; axis-- > 0;) {
            first += rest % m_dims[axis] * m_vectorSteps[axis];
            rest /= m_dims[axis];
        }
        auto vector = static_cast<std::size_t>(first);
        for (std::int64_t col = 0; col < cols; ++col) {
            work(element++, vector);
            vector += step;
        }
    }
}

/// What the numbers of a vector of this length are multiplied by.
float WeightConstraint::factorOf(float norm) const
{
    switch (m_constraint.kind_case()) {
    case spec::Constraint::kMaxNorm:
        return std::clamp(norm, 0.0F, static_cast<float>(m_constraint.max_norm().max_value())) /
               (kEpsilon + norm);
    case spec::Constraint::kMinMaxNorm: {
        const spec::MinMaxNormConstraint& own = m_constraint.min_max_norm();
        const auto rate = static_cast<float>(own.rate());
        const float within = std::clamp(norm, static_cast<float>(own.min_value()),
                                        static_cast<float>(own.max_value()));
        return (rate * within + (1.0F - rate) * norm) / (kEpsilon + norm);
    }
    case spec::Constraint::kUnitNorm:
        return 1.0F / (kEpsilon + norm);
    default:
        return 1.0F;
    }
}

void WeightConstraint::scaleVectors(std::span<float> values)
{
    std::ranges::fill(m_squares, 0.0);
    forEachElement([&](std::size_t element, std::size_t vector) {
        const auto wide = static_cast<double>(values[element]);
        m_squares[vector] += wide * wide;
    });
    std::ranges::transform(m_squares, m_factors.begin(), [this](double squares) {
        return factorOf(static_cast<float>(std::sqrt(squares)));
    });
    forEachElement(
        [&](std::size_t element, std::size_t vector) { values[element] *= m_factors[vector]; });
}

void WeightConstraint::makeRings(std::span<float> values)
{
    const std::int64_t size = m_dims[0];
    const auto channels = static_cast<std::size_t>(m_dims[2] * m_dims[3]);
    const auto cellAt = [&](std::int64_t row, std::int64_t col) {
        return values.subspan(static_cast<std::size_t>(row * size + col) * channels, channels);
    };
    const auto ringAt = [&](std::int64_t ring) {
        return std::span(m_rings).subspan(static_cast<std::size_t>(ring) * channels, channels);
    };
    // Before any cell changes: a ring may be made of another one's.
    for (std::int64_t ring = 0; ring < (size + 1) / 2; ++ring) {
        const std::int64_t source = sourceOf(ring, size);
        std::ranges::copy(cellAt(source, source), ringAt(ring).begin());
    }
    for (std::int64_t row = 0; row < size; ++row) {
        for (std::int64_t col = 0; col < size; ++col) {
            const std::int64_t ring = std::max(ringOf(row, size), ringOf(col, size));
            std::ranges::copy(ringAt(ring), cellAt(row, col).begin());
        }
    }
}

void WeightConstraint::apply(std::span<float> values)
{
    if (m_constraint.has_radial()) {
        makeRings(values);
    } else if (m_constraint.has_non_negative()) {
        for (float& value : values) {
            value *= value >= 0.0F ? 1.0F : 0.0F; // a product, as in Keras: NaN stays
        }
    } else {
        scaleVectors(values);
    }
}

} // namespace cannery::plan
