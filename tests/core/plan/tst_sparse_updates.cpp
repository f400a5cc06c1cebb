// SPDX-License-Identifier: Apache-2.0
#include "tests/core/plan/toy_model.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

using namespace cannery;
using namespace cannery::tests;

/// The results of real TensorFlow 2.15.1 for LinearRegressor([job]), vocabulary [x, y, z], labels
/// 1, on three batches of one step each: [x, y], [z, missing], [missing, missing].
class TstSparseUpdates : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void anEmptyRowTouchesRowZeroAsInTensorflow_data();
    void anEmptyRowTouchesRowZeroAsInTensorflow();
};

namespace {

features::EncodedRows batchOf(const std::vector<std::int32_t>& ids)
{
    features::EncodedRows rows = toyRows(2, 1);
    features::IdBlock& block = rows.ids[2];
    block = {.rowOffsets = {0}};
    for (const std::int32_t id : ids) {
        if (id >= 0) {
            block.ids.push_back(id);
        }
        block.rowOffsets.push_back(static_cast<std::int64_t>(block.ids.size()));
    }
    rows.labels = {1.0F, 1.0F};
    return rows;
}

} // namespace

void TstSparseUpdates::anEmptyRowTouchesRowZeroAsInTensorflow_data()
{
    QTest::addColumn<QString>("optimizer");
    QTest::addColumn<QList<float>>("expected");
    QTest::newRow("momentum") << "sgd { learning_rate: 0.1 momentum: 0.5 }"
                              << QList<float>{0.1F,         0.1F,        0.0F, 0.15000001F, 0.1F,
                                              0.080000006F, 0.17500001F, 0.1F, 0.080000006F};
    QTest::newRow("ftrl") << "ftrl { learning_rate: 0.1 l2_shrinkage_regularization_strength: 0.5 }"
                          << QList<float>{0.095346265F, 0.095346265F, 0.0F,
                                          0.086255357F, 0.095346265F, 0.094359748F,
                                          0.078031227F, 0.095346265F, 0.094359748F};
}

void TstSparseUpdates::anEmptyRowTouchesRowZeroAsInTensorflow()
{
    QFETCH(QString, optimizer);
    QFETCH(QList<float>, expected);
    const auto made = toyModel("linear_regressor { feature_columns: 'one' optimizer { " +
                               optimizer.toStdString() + " } }");
    VERIFY_OK(made);
    const std::span<float> weights = stateOf(**made, "linear/linear_model/one/weights");
    const std::vector<std::vector<std::int32_t>> batches = {{0, 1}, {2, -1}, {-1, -1}};
    for (std::size_t step = 0; step < batches.size(); ++step) {
        (*made)->train(batchOf(batches[step]), static_cast<std::int64_t>(step));
        for (std::size_t row = 0; row < 3; ++row) {
            const float wanted = expected[static_cast<qsizetype>(3 * step + row)];
            QVERIFY(std::abs(weights[row] - wanted) <= 1e-6F);
        }
    }
}

CANNERY_TEST(TstSparseUpdates)
#include "tst_sparse_updates.moc"
