#include "tests/core/plan/toy_model.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<long> allocations{0};
} // namespace

// Counts in this test program only.
void* operator new(std::size_t size)
{
    ++allocations;
    return std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* memory) noexcept
{
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept
{
    std::free(memory);
}

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
    QFETCH(int, index);
    const auto made =
        toyModel(toyEstimators()[static_cast<std::size_t>(index)].text, {.threads = 2});
    VERIFY_OK(made);
    const features::EncodedRows rows = toyRows(32, 1);
    const features::EncodedRows shorter = toyRows(13, 2);
    const auto metrics = (*made)->head().createMetrics();
    for (int step = 0; step < 2; ++step) {
        (*made)->train(rows, step);
        (*made)->evaluate(rows, *metrics);
    }
    const long before = allocations;
    for (int step = 2; step < 10; ++step) {
        (*made)->train(step % 3 == 0 ? shorter : rows, step);
    }
    (*made)->evaluate(rows, *metrics);
    QCOMPARE(allocations - before, 0L);
}

CANNERY_TEST(TstModelMemory)
#include "tst_model_memory.moc"
