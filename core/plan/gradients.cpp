// SPDX-License-Identifier: Apache-2.0
#include "core/plan/gradients.h"

#include "core/base/check.h"
#include "core/layers/placement.h"

#include <algorithm>

namespace cannery::plan {

namespace {

bool hasDense(const Segments& segments)
{
    return std::any_of(segments.begin(), segments.end(),
                       [](const layers::GradientSegment& segment) { return !segment.sparse; });
}

/// Rows of the whole variable and nothing else.
bool isTableRows(const Segments& segments)
{
    return segments.size() == 1 && segments.front().sparse;
}

const Segments& toSegments(const std::unique_ptr<Segments>& part)
{
    return *part;
}

bool isSliced(const Segments& segments)
{
    return isTableRows(segments) && segments.front().isSliced;
}

/// Lays the dense segments into the memory of the whole variable.
void bindTo(std::span<float> memory, std::int64_t rows, std::int64_t cols, Segments& segments)
{
    const kernels::MatrixView whole = kernels::matrixView(memory, rows, cols);
    for (layers::GradientSegment& segment : segments) {
        if (!segment.sparse) {
            segment.dense = whole.slice(segment.firstRow, segment.rowCount);
        }
    }
}

void addSegments(const Segments& segments, std::int64_t cols, std::span<float> dense)
{
    for (const layers::GradientSegment& segment : segments) {
        float* const first = dense.data() + segment.firstRow * cols;
        if (segment.sparse) {
            for (std::size_t entry = 0; entry < segment.rows.rows.size(); ++entry) {
                const float* values =
                    segment.rows.values.data() + static_cast<std::int64_t>(entry) * cols;
                float* row = first + segment.rows.rows[entry] * cols;
                std::transform(values, values + cols, row, row, std::plus<>());
            }
        } else {
            const float* values = segment.dense.data;
            std::transform(values, values + segment.rowCount * cols, first, first, std::plus<>());
        }
    }
}

} // namespace

Segments* VariableGradient::addPart()
{
    return m_parts.emplace_back(std::make_unique<Segments>()).get();
}

void VariableGradient::plan(FloatArena& arena, FloatArena& parts)
{
    CANNERY_CHECK(!m_parts.empty());
    m_sum.clear();
    m_partOffsets.clear();
    const bool isSum = m_parts.size() > 1;
    const bool isDense = isSum ? !std::ranges::all_of(m_parts, isTableRows, &toSegments)
                               : hasDense(*m_parts.front());
    m_offset = isDense ? arena.add(m_rows * m_cols) : -1;
    // In the arena, so that what adds up gradients over shards adds up these.
    m_squaresOffset = std::ranges::all_of(m_parts, isSliced, &toSegments) ? arena.add(1) : -1;
    if (!isSum) {
        return;
    }
    if (!isDense) {
        m_sum = *m_parts.front();
        return;
    }
    m_sum.push_back({.firstRow = 0, .rowCount = m_rows});
    for (const auto& part : m_parts) {
        m_partOffsets.push_back(hasDense(*part) ? parts.add(m_rows * m_cols) : -1);
    }
}

void VariableGradient::bind(FloatArena& arena, FloatArena& parts)
{
    if (m_squaresOffset >= 0) {
        m_squares = arena.span(m_squaresOffset, 1);
    }
    if (m_offset < 0) {
        return;
    }
    m_dense = arena.span(m_offset, m_rows * m_cols);
    if (!isDenseSum()) {
        bindTo(m_dense, m_rows, m_cols, *m_parts.front());
        return;
    }
    bindTo(m_dense, m_rows, m_cols, m_sum);
    for (std::size_t part = 0; part < m_parts.size(); ++part) {
        if (m_partOffsets[part] >= 0) {
            bindTo(parts.span(m_partOffsets[part], m_rows * m_cols), m_rows, m_cols,
                   *m_parts[part]);
        }
    }
}

void VariableGradient::sum(kernels::SparseScratch& scratch)
{
    addParts(scratch);
    if (m_squares.empty()) {
        return;
    }
    m_squares.front() = 0;
    for (const auto& part : m_parts) {
        m_squares.front() += part->front().sliceSquares;
    }
}

void VariableGradient::addParts(kernels::SparseScratch& scratch)
{
    if (m_parts.size() < 2) {
        return;
    }
    if (isDenseSum()) {
        std::ranges::fill(m_dense, 0.0F);
        for (const auto& part : m_parts) {
            addSegments(*part, m_cols, m_dense);
        }
        return;
    }
    kernels::SparseGradient& total = m_sum.front().rows;
    kernels::addSparse(m_parts[0]->front().rows, m_parts[1]->front().rows, m_rows, scratch, total);
    for (std::size_t part = 2; part < m_parts.size(); ++part) {
        std::swap(total, m_spare);
        kernels::addSparse(m_spare, m_parts[part]->front().rows, m_rows, scratch, total);
    }
}

void VariableGradient::placeSum(kernels::AcceleratorProgram& program, std::string_view label)
{
    CANNERY_CHECK(!isDenseSum());
    if (m_parts.size() < 2) {
        return;
    }
    kernels::DeviceSparse total = m_parts.front()->front().placed;
    for (std::size_t part = 1; part < m_parts.size(); ++part) {
        const kernels::DeviceSparse& other = m_parts[part]->front().placed;
        const kernels::DeviceSparse sum = layers::placedRows(
            program, std::min(total.capacity + other.capacity, m_rows), m_cols, m_rows);
        program.add(kernels::AddSparse{.a = total, .b = other, .sum = sum}, label);
        total = sum;
    }
    m_sum.front().placed = total;
}

void VariableGradient::keepWhole()
{
    const auto isSparse = [](const layers::GradientSegment& segment) { return segment.sparse; };
    if (!std::ranges::any_of(segments(), isSparse)) {
        return;
    }
    m_wholeValues.resize(static_cast<std::size_t>(m_rows * m_cols));
    m_whole = Segments(1);
    m_whole.front().rowCount = m_rows;
    m_whole.front().dense = kernels::matrixView(std::span(m_wholeValues), m_rows, m_cols);
}

std::span<float> VariableGradient::makeWhole()
{
    if (m_whole.empty()) {
        return m_dense;
    }
    std::ranges::fill(m_wholeValues, 0.0F);
    addSegments(segments(), m_cols, m_wholeValues);
    return m_wholeValues;
}

std::span<float> VariableGradient::values()
{
    if (!m_whole.empty()) {
        return m_wholeValues;
    }
    if (m_offset >= 0) {
        return m_dense;
    }
    return segments().front().rows.values;
}

std::optional<double> VariableGradient::sliceSquares() const
{
    return m_squares.empty() ? std::nullopt : std::optional<double>(m_squares.front());
}

void VariableGradient::addTo(std::span<float> dense)
{
    addSegments(applied(), m_cols, dense);
}

} // namespace cannery::plan
