#include "core/train/symmetric_eigen.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace cannery::train {
namespace {

/// Of each value; three are usual.
constexpr int kMostQlSteps = 60;

/// Turns a matrix to tridiagonal form by reflections, and then to diagonal form by rotations.
class Diagonalizer
{
public:
    Diagonalizer(std::vector<double> matrix, std::size_t size)
        : m_size(size), m_matrix(std::move(matrix)), m_vectors(size * size), m_diagonal(size),
          m_beside(size)
    {}

    SymmetricEigen run()
    {
        for (std::size_t k = 0; k + 2 < m_size; ++k) {
            reflect(k);
        }
        takeTridiagonal();
        gatherReflections();
        for (std::size_t value = 0; value < m_size; ++value) {
            isolate(value);
        }
        return sorted();
    }

private:
    double* row(std::size_t i) { return m_matrix.data() + i * m_size; }
    double* vector(std::size_t i) { return m_vectors.data() + i * m_size; }

    /// Clears column k below its second place: A <- H A H, H = 1 - factor v v'. v stays in row k,
    /// from place k + 1 on; the factor makes v'v * factor = 2.
    void reflect(std::size_t k)
    {
        const std::size_t begin = k + 1;
        double* v = row(k);
        double length = 0;
        for (std::size_t i = begin; i < m_size; ++i) {
            length += v[i] * v[i];
        }
        const double alpha = v[begin] > 0 ? -std::sqrt(length) : std::sqrt(length);
        m_beside[k] = alpha;
        const double squares = 2 * (length - alpha * v[begin]);
        v[begin] -= alpha;
        const double factor = squares > 0 ? 2 / squares : 0.0;
        m_factors.push_back(factor);
        if (factor == 0) {
            return;
        }
        std::vector<double> moved(m_size, 0.0);
        double along = 0;
        for (std::size_t i = begin; i < m_size; ++i) {
            const double* a = row(i);
            double sum = 0;
            for (std::size_t j = begin; j < m_size; ++j) {
                sum += a[j] * v[j];
            }
            moved[i] = factor * sum;
            along += moved[i] * v[i];
        }
        for (std::size_t i = begin; i < m_size; ++i) {
            moved[i] -= factor / 2 * along * v[i];
        }
        for (std::size_t i = begin; i < m_size; ++i) {
            double* a = row(i);
            for (std::size_t j = begin; j < m_size; ++j) {
                a[j] -= v[i] * moved[j] + moved[i] * v[j];
            }
        }
    }

    void takeTridiagonal()
    {
        for (std::size_t i = 0; i < m_size; ++i) {
            m_diagonal[i] = row(i)[i];
        }
        if (m_size >= 2) {
            m_beside[m_size - 2] = row(m_size - 2)[m_size - 1];
        }
    }

    /// Rows of m_vectors: the columns of the product of all reflections.
    void gatherReflections()
    {
        for (std::size_t i = 0; i < m_size; ++i) {
            vector(i)[i] = 1;
        }
        for (std::size_t k = m_factors.size(); k-- > 0;) {
            const double* v = row(k);
            for (std::size_t i = k + 1; i < m_size; ++i) {
                double* out = vector(i);
                double sum = 0;
                for (std::size_t j = k + 1; j < m_size; ++j) {
                    sum += out[j] * v[j];
                }
                sum *= m_factors[k];
                for (std::size_t j = k + 1; j < m_size; ++j) {
                    out[j] -= sum * v[j];
                }
            }
        }
    }

    /// The end of the block that begins at `first` and is not cut by a 0 beside the diagonal.
    std::size_t blockEnd(std::size_t first) const
    {
        std::size_t last = first;
        for (; last + 1 < m_size; ++last) {
            const double size = std::fabs(m_diagonal[last]) + std::fabs(m_diagonal[last + 1]);
            if (std::fabs(m_beside[last]) <= std::numeric_limits<double>::epsilon() * size) {
                break;
            }
        }
        return last;
    }

    void isolate(std::size_t first)
    {
        for (int step = 0; step < kMostQlSteps; ++step) {
            const std::size_t last = blockEnd(first);
            if (last == first) {
                return;
            }
            chase(first, last);
        }
    }

    /// One implicit QL step with Wilkinson's shift.
    void chase(std::size_t first, std::size_t last)
    {
        double g = (m_diagonal[first + 1] - m_diagonal[first]) / (2 * m_beside[first]);
        const double root = std::hypot(g, 1.0);
        g = m_diagonal[last] - m_diagonal[first] + m_beside[first] / (g + (g < 0 ? -root : root));
        double sine = 1;
        double cosine = 1;
        double shift = 0;
        for (std::size_t i = last; i-- > first;) {
            const double f = sine * m_beside[i];
            const double b = cosine * m_beside[i];
            const double r = std::hypot(f, g);
            m_beside[i + 1] = r;
            if (r == 0) {
                m_diagonal[i + 1] -= shift;
                m_beside[last] = 0;
                return;
            }
            sine = f / r;
            cosine = g / r;
            g = m_diagonal[i + 1] - shift;
            const double turned = (m_diagonal[i] - g) * sine + 2 * cosine * b;
            shift = sine * turned;
            m_diagonal[i + 1] = g + shift;
            g = cosine * turned - b;
            rotate(vector(i), vector(i + 1), sine, cosine);
        }
        m_diagonal[first] -= shift;
        m_beside[first] = g;
        m_beside[last] = 0;
    }

    void rotate(double* a, double* b, double sine, double cosine) const
    {
        for (std::size_t k = 0; k < m_size; ++k) {
            const double f = b[k];
            b[k] = sine * a[k] + cosine * f;
            a[k] = cosine * a[k] - sine * f;
        }
    }

    SymmetricEigen sorted()
    {
        std::vector<std::size_t> order(m_size);
        std::iota(order.begin(), order.end(), std::size_t(0));
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return m_diagonal[a] > m_diagonal[b];
        });
        SymmetricEigen found;
        for (const std::size_t i : order) {
            found.values.push_back(m_diagonal[i]);
            found.vectors.insert(found.vectors.end(), vector(i), vector(i) + m_size);
        }
        return found;
    }

    std::size_t m_size;
    std::vector<double> m_matrix;
    std::vector<double> m_vectors;
    std::vector<double> m_diagonal;
    std::vector<double> m_beside; ///< the diagonal
    std::vector<double> m_factors;
};

} // namespace

SymmetricEigen eigenOf(std::vector<double> matrix, std::size_t size)
{
    return Diagonalizer(std::move(matrix), size).run();
}

} // namespace cannery::train
