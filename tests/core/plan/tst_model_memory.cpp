// SPDX-License-Identifier: Apache-2.0
#include "core/plan/inference.h"
#include "kernels/device/cpu_level.h"
#include "tests/core/plan/toy_model.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

using namespace cannery;
using namespace cannery::tests;

class TstModelMemory : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void warmStepsDoNotAllocate_data();
    void warmStepsDoNotAllocate();
};

void TstModelMemory::warmStepsDoNotAllocate_data()
{
    QTest::addColumn<int>("index");
    for (std::size_t index = 0; index < toyEstimators().size(); ++index) {
        QTest::newRow(toyEstimators()[index].name) << static_cast<int>(index);
    }
}

void TstModelMemory::warmStepsDoNotAllocate()
{
    if (!allocationsAreCounted()) {
        QSKIP("the sanitizer of this build has the allocator to itself");
    }
    QFETCH(int, index);
    const std::string text = toyEstimators()[static_cast<std::size_t>(index)].text;
    if (text.find(" conv_") != std::string::npos &&
        kernels::cpuLevel() >= kernels::CpuLevel::X86_64_v4) {
        QSKIP("oneDNN, which convolves with AVX-512, allocates for its arguments");
    }
    const auto made = toyModel(text, {.threads = 2});
    VERIFY_OK(made);
    const features::EncodedRows rows = toyRows(32, 1);
    const features::EncodedRows shorter = toyRows(13, 2);
    const auto metrics = (*made)->head().createMetrics();
    for (int step = 0; step < 2; ++step) {
        (*made)->train(rows, step);
        (*made)->inference().evaluate(rows, *metrics);
    }
    const std::int64_t before = allocationCount();
    for (int step = 2; step < 10; ++step) {
        (*made)->train(step % 3 == 0 ? shorter : rows, step);
    }
    (*made)->inference().evaluate(rows, *metrics);
    QCOMPARE(allocationCount(), before);
}

CANNERY_TEST(TstModelMemory)
#include "tst_model_memory.moc"
