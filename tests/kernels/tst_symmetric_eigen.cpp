// SPDX-License-Identifier: Apache-2.0
#include "kernels/math/symmetric_eigen.h"
#include "tests/support/test_main.h"

#include <QtTest>

#include <algorithm>
#include <cmath>

using namespace cannery::kernels;

namespace {

double waveAt(std::size_t row, std::size_t column)
{
    return std::sin(1.7 * static_cast<double>(row * (column + 3))) +
           0.3 * std::cos(static_cast<double>(row + 5 * column)) + 0.5;
}

} // namespace

class TstSymmetricEigen : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aMatrixIsTheSumOfItsParts_data();
    void aMatrixIsTheSumOfItsParts();
    void ofNothingIsNothing();
};

void TstSymmetricEigen::aMatrixIsTheSumOfItsParts_data()
{
    QTest::addColumn<int>("size");
    QTest::addColumn<bool>("isFlat"); ///< of rank 1
    for (const int size : {1, 2, 3, 40}) {
        QTest::addRow("%d", size) << size << false;
        QTest::addRow("%d, rank 1", size) << size << true;
    }
}

void TstSymmetricEigen::aMatrixIsTheSumOfItsParts()
{
    QFETCH(int, size);
    QFETCH(bool, isFlat);
    const auto count = static_cast<std::size_t>(size);
    std::vector<double> matrix(count * count);
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t j = 0; j < count; ++j) {
            matrix[i * count + j] =
                isFlat ? static_cast<double>((i + 1) * (j + 1)) : waveAt(i, j) + waveAt(j, i);
        }
    }
    const SymmetricEigen eigen = eigenOf(matrix, count);
    QVERIFY(std::is_sorted(eigen.values.rbegin(), eigen.values.rend()));
    double most = 0;
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t j = 0; j < count; ++j) {
            double sum = 0;
            double product = 0;
            for (std::size_t k = 0; k < count; ++k) {
                sum +=
                    eigen.values[k] * eigen.vectors[k * count + i] * eigen.vectors[k * count + j];
                product += eigen.vectors[i * count + k] * eigen.vectors[j * count + k];
            }
            most =
                std::max({most, std::fabs(sum - matrix[i * count + j]) / std::fabs(eigen.values[0]),
                          std::fabs(product - (i == j ? 1.0 : 0.0))});
        }
    }
    QVERIFY2(most < 1e-12, qPrintable(QString::number(most)));
}

void TstSymmetricEigen::ofNothingIsNothing()
{
    const SymmetricEigen eigen = eigenOf({}, 0);
    QVERIFY(eigen.values.empty());
    QVERIFY(eigen.vectors.empty());
}

CANNERY_TEST(TstSymmetricEigen)
#include "tst_symmetric_eigen.moc"
