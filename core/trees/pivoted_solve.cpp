// SPDX-License-Identifier: Apache-2.0
#include "core/trees/pivoted_solve.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace cannery::trees {

namespace {

class PivotedSystem
{
public:
    PivotedSystem(std::span<float> a, std::span<float> b)
        : m_a(a), m_b(b), m_size(b.size()), m_order(b.size())
    {
        std::iota(m_order.begin(), m_order.end(), std::size_t{0});
    }

    void solve()
    {
        float largest = 0.0F;
        std::size_t rank = 0;
        for (; rank < m_size; ++rank) {
            const float pivot = choosePivot(rank);
            largest = std::max(largest, pivot);
            // Eigen's threshold of ColPivHouseholderQR, which TensorFlow's kernel uses: columns
            // with less than that are dependent, and their unknowns become 0.
            if (!(pivot > 4.0F * static_cast<float>(m_size) *
                              std::numeric_limits<float>::epsilon() * largest)) {
                break;
            }
            reflect(rank, pivot);
        }
        substitute(rank);
    }

private:
    float& at(std::size_t row, std::size_t column) { return m_a[row * m_size + column]; }

    float restNorm(std::size_t column, std::size_t first)
    {
        float squares = 0.0F;
        for (std::size_t row = first; row < m_size; ++row) {
            squares += at(row, column) * at(row, column);
        }
        return std::sqrt(squares);
    }

    /// Puts the column with the largest rest at this place; returns the norm of that rest.
    float choosePivot(std::size_t place)
    {
        std::size_t best = place;
        float norm = restNorm(place, place);
        for (std::size_t column = place + 1; column < m_size; ++column) {
            const float other = restNorm(column, place);
            if (other > norm) {
                best = column;
                norm = other;
            }
        }
        for (std::size_t row = 0; best != place && row < m_size; ++row) {
            std::swap(at(row, place), at(row, best));
        }
        std::swap(m_order[place], m_order[best]);
        return norm;
    }

    /// Reflects the rest of the rows so that of this column only its first number is left.
    void reflect(std::size_t place, float norm)
    {
        std::vector<float> v(m_size - place);
        for (std::size_t i = 0; i < v.size(); ++i) {
            v[i] = at(place + i, place);
        }
        // Away from 0, so that no digits cancel.
        v.front() += std::copysign(norm, v.front());
        float squares = 0.0F;
        for (const float value : v) {
            squares += value * value;
        }
        const auto apply = [&](auto element) {
            float product = 0.0F;
            for (std::size_t i = 0; i < v.size(); ++i) {
                product += v[i] * element(place + i);
            }
            const float factor = 2.0F * product / squares;
            for (std::size_t i = 0; i < v.size(); ++i) {
                element(place + i) -= factor * v[i];
            }
        };
        // The pivot's column too, which leaves its norm on the diagonal.
        for (std::size_t column = place; column < m_size; ++column) {
            apply([&](std::size_t row) -> float& { return at(row, column); });
        }
        apply([&](std::size_t row) -> float& { return m_b[row]; });
    }

    void substitute(std::size_t rank)
    {
        std::vector<float> x(m_size);
        // Unknowns beyond the rank stay 0.
        for (std::size_t row = rank; row-- > 0;) {
            float rest = m_b[row];
            for (std::size_t column = row + 1; column < rank; ++column) {
                rest -= at(row, column) * x[m_order[column]];
            }
            x[m_order[row]] = rest / at(row, row);
        }
        std::ranges::copy(x, m_b.begin());
    }

    std::span<float> m_a;
    std::span<float> m_b;
    std::size_t m_size;
    std::vector<std::size_t> m_order; ///< the place in b of each column
};

} // namespace

void solvePivoted(std::span<float> a, std::span<float> b)
{
    PivotedSystem(a, b).solve();
}

} // namespace cannery::trees
