// SPDX-License-Identifier: Apache-2.0
#include "tests/core/export/single_op.h"
#include "tests/support/test_main.h"

using namespace cannery;
using namespace cannery::tests;

/// Operations of recurrent layers, by TensorFlow's definition.
class TstRecurrentOps : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void takesADimensionApart();
    void turnsTheStepsOfEachRow();
    void refusesWhatDoesNotFit();
};

void TstRecurrentOps::takesADimensionApart()
{
    const HostTensor value = tensorOf<float>({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, {2, 3, 2});
    const auto byTime = runOp("Unpack", {value}, {{"num", 3}, {"axis", 1}});
    VERIFY_GIVES(byTime, 0, tensorOf<float>({1, 2, 7, 8}, {2, 2}));
    VERIFY_GIVES(byTime, 2, tensorOf<float>({5, 6, 11, 12}, {2, 2}));
    const auto byRow = runOp("Unpack", {value}, {{"num", 2}});
    VERIFY_GIVES(byRow, 1, tensorOf<float>({7, 8, 9, 10, 11, 12}, {3, 2}));
    const auto byLast = runOp("Unpack", {value}, {{"num", 2}, {"axis", -1}});
    VERIFY_GIVES(byLast, 1, tensorOf<float>({2, 4, 6, 8, 10, 12}, {2, 3}));
}

void TstRecurrentOps::turnsTheStepsOfEachRow()
{
    const HostTensor steps = tensorOf<float>({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, {2, 3, 2});
    const auto turned =
        runOp("ReverseSequence", {steps, listOf<std::int64_t>({2, 3})}, {{"seq_dim", 1}});
    VERIFY_GIVES(turned, 0, tensorOf<float>({3, 4, 1, 2, 5, 6, 11, 12, 9, 10, 7, 8}, {2, 3, 2}));
    const auto empty =
        runOp("ReverseSequence", {steps, listOf<std::int64_t>({0, 1})}, {{"seq_dim", 1}});
    VERIFY_GIVES(empty, 0, steps);
}

void TstRecurrentOps::refusesWhatDoesNotFit()
{
    const HostTensor value = tensorOf<float>({1, 2, 3, 4, 5, 6}, {3, 2});
    for (const AttrsByName& attrs :
         {AttrsByName{{"num", 2}}, {{"num", 3}, {"axis", 2}}, {{"num", -1}}, {{"axis", 1}}}) {
        QVERIFY(!runOp("Unpack", {value}, attrs));
    }
    QVERIFY(!runOp("ReverseSequence", {value, listOf<std::int64_t>({1, 2})}, {{"seq_dim", 1}}));
    QVERIFY(!runOp("ReverseSequence", {value, listOf<std::int64_t>({1, 2, 3})}, {{"seq_dim", 1}}));
    QVERIFY(!runOp("ReverseSequence", {value, listOf<std::int64_t>({1, 2, 1})}));
}

CANNERY_TEST(TstRecurrentOps)
#include "tst_recurrent_ops.moc"
