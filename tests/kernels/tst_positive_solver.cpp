// SPDX-License-Identifier: Apache-2.0
#include "kernels/math/positive_solver.h"
#include "kernels/math/row_products.h"
#include "tests/support/test_main.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace cannery::kernels;

namespace {

/// Rows [rows, columns] whose columns differ in size by up to 10^12.
std::vector<double> unevenRows(std::size_t rows, std::size_t columns)
{
    std::vector<double> all;
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t column = 0; column < columns; ++column) {
            const double power = static_cast<double>(column % 5) * 3 - 6;
            all.push_back(std::sin(static_cast<double>(row * (2 * column + 3)) * 0.7) *
                          std::pow(10.0, power));
        }
    }
    return all;
}

std::vector<double> productsOf(const std::vector<double>& rows, std::size_t columns)
{
    std::vector<double> products(columns * columns, 0.0);
    addRowProducts(rows, columns, products);
    return products;
}

} // namespace

class TstPositiveSolver : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void productsAreSumsOverRows_data();
    void productsAreSumsOverRows();
    void whatSolvesIsFound_data();
    void whatSolvesIsFound();
    void refusesDependentAndStrangeMatrices();
    void placesInMemoryChangeNoBits();
};

void TstPositiveSolver::productsAreSumsOverRows_data()
{
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("columns");
    for (const int columns : {1, 2, 7, 40}) {
        for (const int rows : {0, 1, 3, 130}) {
            QTest::addRow("%d x %d", rows, columns) << rows << columns;
        }
    }
}

void TstPositiveSolver::productsAreSumsOverRows()
{
    QFETCH(int, rows);
    QFETCH(int, columns);
    const auto width = static_cast<std::size_t>(columns);
    const std::vector<double> numbers = unevenRows(static_cast<std::size_t>(rows), width);
    std::vector<double> products(width * width, 5.0);
    addRowProducts(numbers, width, products);
    for (std::size_t i = 0; i < width; ++i) {
        for (std::size_t j = 0; j < width; ++j) {
            double wanted = 0;
            double size = 0;
            for (std::size_t row = 0; j <= i && row < numbers.size() / width; ++row) {
                const double part = numbers[row * width + i] * numbers[row * width + j];
                wanted += part;
                size += std::fabs(part);
            }
            QVERIFY(std::fabs(products[i * width + j] - 5 - wanted) <= 1e-14 * (size + 5));
        }
    }
}

void TstPositiveSolver::whatSolvesIsFound_data()
{
    QTest::addColumn<int>("size");
    for (const int size : {0, 1, 2, 5, 40}) {
        QTest::addRow("%d", size) << size;
    }
}

void TstPositiveSolver::whatSolvesIsFound()
{
    QFETCH(int, size);
    const auto count = static_cast<std::size_t>(size);
    const std::vector<double> matrix = productsOf(unevenRows(3 * count + 2, count), count);
    std::vector<double> wanted;
    std::vector<double> right(count, 0.0);
    for (std::size_t i = 0; i < count; ++i) {
        wanted.push_back((1 + static_cast<double>(i % 3)) / std::sqrt(matrix[i * count + i]));
    }
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t j = 0; j < count; ++j) {
            right[i] += matrix[std::max(i, j) * count + std::min(i, j)] * wanted[j];
        }
    }
    const std::optional<PositiveSolver> solver = PositiveSolver::of(matrix, count);
    QVERIFY(solver.has_value());
    const std::vector<double> solved = solver->solve(right);
    QCOMPARE(solved.size(), count);
    for (std::size_t i = 0; i < count; ++i) {
        QVERIFY2(std::fabs(solved[i] / wanted[i] - 1) < 1e-9,
                 qPrintable(QString::number(solved[i] / wanted[i] - 1)));
    }
}

void TstPositiveSolver::refusesDependentAndStrangeMatrices()
{
    QVERIFY(!PositiveSolver::of(std::vector<double>{0}, 1).has_value());
    QVERIFY(!PositiveSolver::of(std::vector<double>{-1}, 1).has_value());
    QVERIFY(!PositiveSolver::of(std::vector<double>{std::nan("")}, 1).has_value());
    QVERIFY(!PositiveSolver::of(std::vector<double>{std::numeric_limits<double>::infinity()}, 1)
                 .has_value());
    // Two equal rows; one that is the sum of two others; and one that is more than it can be.
    QVERIFY(!PositiveSolver::of(std::vector<double>{1, 0, 1, 1}, 2).has_value());
    QVERIFY(!PositiveSolver::of(std::vector<double>{1, 0, 0, 0, 1e8, 0, 1, 1e8, 1e8 + 1}, 3)
                 .has_value());
    QVERIFY(!PositiveSolver::of(std::vector<double>{1, 0, 2, 1}, 2).has_value());
}

void TstPositiveSolver::placesInMemoryChangeNoBits()
{
    const std::vector<double> rows = unevenRows(50, 13);
    const std::vector<double> wanted = productsOf(rows, 13);
    const std::vector<double> right(wanted.begin(), wanted.begin() + 13);
    const std::vector<double> solved = PositiveSolver::of(wanted, 13)->solve(right);
    for (std::size_t shift = 1; shift < 8; ++shift) {
        std::vector<double> shifted(shift);
        shifted.insert(shifted.end(), rows.begin(), rows.end());
        std::vector<double> products(shift + wanted.size());
        const std::span<double> found = std::span(products).subspan(shift);
        addRowProducts(std::span(shifted).subspan(shift), 13, found);
        QVERIFY(std::equal(found.begin(), found.end(), wanted.begin()));
        QCOMPARE(PositiveSolver::of(found, 13)->solve(right), solved);
    }
}

CANNERY_TEST(TstPositiveSolver)
#include "tst_positive_solver.moc"
