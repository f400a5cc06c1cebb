// SPDX-License-Identifier: Apache-2.0
#include "tests/core/export/single_op.h"
#include "tests/support/test_main.h"

using namespace cannery;
using namespace cannery::tests;

/// Products of batches of matrices and along letters. Expected values are plain arithmetic.
class TstAttentionOps : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void lettersAreMultipliedAndAddedUp();
    void matricesOfABatchAreMultiplied();
    void bandsKeepTheirDiagonals();
    void refusesWhatDoesNotFit();
};

void TstAttentionOps::lettersAreMultipliedAndAddedUp()
{
    const HostTensor left = tensorOf<float>({1, 2, 3, 4, 5, 6}, {1, 2, 3});
    const HostTensor right = tensorOf<float>({1, 0, 2, 0, 1, 3}, {3, 1, 2});
    VERIFY_GIVES(runOp("Einsum", {left, right}, {{"equation", "abc,cde->abde"}}), 0U,
                 tensorOf<float>({8, 9, 20, 18}, {1, 2, 1, 2}));
    // A letter that the result lacks is added up, in whatever order the result has the others.
    VERIFY_GIVES(runOp("Einsum", {left, left}, {{"equation", "abc,aec->eba"}}), 0U,
                 tensorOf<float>({14, 32, 32, 77}, {2, 2, 1}));
}

void TstAttentionOps::matricesOfABatchAreMultiplied()
{
    const HostTensor left = tensorOf<float>({1, 2, 3, 4, 0, 1, 1, 0}, {2, 2, 2});
    const HostTensor right = tensorOf<float>({1, 1, 0, 2, 5, 6, 7, 8}, {2, 2, 2});
    VERIFY_GIVES(runOp("BatchMatMulV2", {left, right}), 0U,
                 tensorOf<float>({1, 5, 3, 11, 7, 8, 5, 6}, {2, 2, 2}));
    VERIFY_GIVES(runOp("BatchMatMulV2", {left, right}, {{"adj_y", true}}), 0U,
                 tensorOf<float>({3, 4, 7, 8, 6, 8, 5, 7}, {2, 2, 2}));
    VERIFY_GIVES(runOp("BatchMatMulV2", {left, right}, {{"adj_x", true}}), 0U,
                 tensorOf<float>({1, 7, 2, 10, 7, 8, 5, 6}, {2, 2, 2}));
}

void TstAttentionOps::bandsKeepTheirDiagonals()
{
    const HostTensor ones = tensorOf<float>({1, 1, 1, 1, 1, 1}, {2, 3});
    const auto band = [&](std::int32_t below, std::int32_t above) {
        return runOp("MatrixBandPart",
                     {ones, HostTensor::scalar(below), HostTensor::scalar(above)});
    };
    VERIFY_GIVES(band(-1, 0), 0U, tensorOf<float>({1, 0, 0, 1, 1, 0}, {2, 3}));
    VERIFY_GIVES(band(0, 1), 0U, tensorOf<float>({1, 1, 0, 0, 1, 1}, {2, 3}));
    VERIFY_GIVES(band(-1, -1), 0U, ones);
}

void TstAttentionOps::refusesWhatDoesNotFit()
{
    const HostTensor matrix = tensorOf<float>({1, 2, 3, 4, 5, 6}, {2, 3});
    VERIFY_REFUSES(runOp("BatchMatMulV2", {matrix, matrix}));
    VERIFY_REFUSES(runOp("Einsum", {matrix, matrix}));
    for (const char* equation : {"ab,bc->ac", "ab->ba", "a,b->ab", "ab,ab->abc", "a...,b->ab",
                                 "->ab,ab", "aa,ab->ab", "ab,ab->aa"}) {
        VERIFY_REFUSES(runOp("Einsum", {matrix, matrix}, {{"equation", equation}}));
    }
    VERIFY_REFUSES(runOp("MatrixBandPart",
                         {listOf<float>({1}), HostTensor::scalar(0), HostTensor::scalar(0)}));
    const HostTensor large = HostTensor::zeros(DType::Float32, Shape{40000, 1});
    VERIFY_ERROR(runOp("Einsum", {large, large}, {{"equation", "ax,by->ab"}}),
                 "export.graph_too_large");
}

CANNERY_TEST(TstAttentionOps)
#include "tst_attention_ops.moc"
