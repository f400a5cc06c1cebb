// SPDX-License-Identifier: Apache-2.0
#include "tests/core/export/single_op.h"
#include "tests/support/test_main.h"

using namespace cannery;
using namespace cannery::tests;

/// Products of batches of matrices. Expected values are plain arithmetic.
class TstMergingOps : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void multipliesEachMatrixOfABatch();
    void readsMatricesTransposed();
    void refusesWhatDoesNotFit();
};

void TstMergingOps::multipliesEachMatrixOfABatch()
{
    const HostTensor left = tensorOf<float>({1, 2, 3, 4, 5, 6}, {2, 1, 3});
    const HostTensor right = tensorOf<float>({1, 0, 0, 1, 1, 1, 2, 0, 0, 2, 1, 1}, {2, 3, 2});
    VERIFY_GIVES(runOp("BatchMatMulV2", {left, right}), 0U,
                 tensorOf<float>({4, 5, 14, 16}, {2, 1, 2}));
    const HostTensor empty = HostTensor::zeros(DType::Float32, Shape{0, 2, 3});
    VERIFY_GIVES(runOp("BatchMatMulV2", {empty, HostTensor::zeros(DType::Float32, {0, 3, 4})}), 0U,
                 HostTensor::zeros(DType::Float32, {0, 2, 4}));
}

void TstMergingOps::readsMatricesTransposed()
{
    const HostTensor left = tensorOf<float>({1, 2, 3, 4, 5, 6}, {1, 3, 2});
    const HostTensor right = tensorOf<float>({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, {1, 4, 3});
    VERIFY_GIVES(runOp("BatchMatMulV2", {left, right}, {{"adj_x", true}, {"adj_y", true}}), 0U,
                 tensorOf<float>({22, 49, 76, 103, 28, 64, 100, 136}, {1, 2, 4}));
    VERIFY_GIVES(runOp("BatchMatMulV2", {left, left}, {{"adj_y", true}}), 0U,
                 tensorOf<float>({5, 11, 17, 11, 25, 39, 17, 39, 61}, {1, 3, 3}));
}

void TstMergingOps::refusesWhatDoesNotFit()
{
    const HostTensor two = tensorOf<float>({1, 2, 3, 4, 5, 6}, {2, 1, 3});
    VERIFY_REFUSES(runOp("BatchMatMulV2", {two, two}));
    VERIFY_REFUSES(runOp("BatchMatMulV2", {two, tensorOf<float>({1, 2, 3}, {1, 3, 1})}));
    VERIFY_REFUSES(runOp("BatchMatMulV2", {two, tensorOf<float>({1, 2, 3}, {3, 1})}));
    VERIFY_REFUSES(runOp("BatchMatMulV2", {listOf<float>({1, 2}), listOf<float>({1, 2})}));
    const HostTensor large = HostTensor::zeros(DType::Float32, {1, 40000, 1});
    VERIFY_ERROR(runOp("BatchMatMulV2", {large, large}, {{"adj_y", true}}),
                 "export.graph_too_large");
}

CANNERY_TEST(TstMergingOps)
#include "tst_merging_ops.moc"
