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

} // namespace

Segments* VariableGradient::addPart()
{
    return m_parts.emplace_back(std::make_unique<Segments>()).get();
}

void VariableGradient::plan(FloatArena& arena)
{
    CANNERY_CHECK(!m_parts.empty());
    m_offset = hasDense(*m_parts.front()) ? arena.add(m_rows * m_cols) : -1;
    m_sum.clear();
    if (m_parts.size() > 1) {
        CANNERY_CHECK(m_offset < 0);
        m_sum = *m_parts.front();
    }
}

void VariableGradient::bind(FloatArena& arena)
{
    if (m_offset < 0) {
        return;
    }
    m_dense = arena.span(m_offset, m_rows * m_cols);
    const kernels::MatrixView whole = kernels::matrixView(m_dense, m_rows, m_cols);
    for (layers::GradientSegment& segment : *m_parts.front()) {
        if (!segment.sparse) {
            segment.dense = whole.slice(segment.firstRow, segment.rowCount);
        }
    }
}

void VariableGradient::sum(kernels::SparseScratch& scratch)
{
    if (m_parts.size() < 2) {
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

std::span<float> VariableGradient::values()
{
    if (m_offset >= 0) {
        return m_dense;
    }
    return segments().front().rows.values;
}

void VariableGradient::addTo(std::span<float> dense)
{
    for (const layers::GradientSegment& segment : segments()) {
        float* const first = dense.data() + segment.firstRow * m_cols;
        if (segment.sparse) {
            for (std::size_t entry = 0; entry < segment.rows.rows.size(); ++entry) {
                const float* values =
                    segment.rows.values.data() + static_cast<std::int64_t>(entry) * m_cols;
                float* row = first + segment.rows.rows[entry] * m_cols;
                std::transform(values, values + m_cols, row, row, std::plus<>());
            }
        } else {
            const float* values = segment.dense.data;
            std::transform(values, values + segment.rowCount * m_cols, first, first, std::plus<>());
        }
    }
}

} // namespace cannery::plan
