// SPDX-License-Identifier: Apache-2.0
#include "core/strategies/pack_thread.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <algorithm>
#include <latch>

using namespace cannery;
using namespace cannery::strategies;

/// Packs that are summed on a thread of their own.
class TstPackThread : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void areSummedWhileOthersAreComputed();
    void everyStepHasItsSums();
    void anErrorEndsItsStepOnly();
    void mayEndInTheMiddleOfAStep();
};

void TstPackThread::areSummedWhileOthersAreComputed()
{
    std::vector<const float*> order;
    std::latch firstIsSummed(1);
    PackThread thread([&](std::span<float> pack) {
        order.push_back(pack.data());
        pack[0] *= 2;
        if (order.size() == 1) {
            firstIsSummed.count_down();
        }
        return Result<void>();
    });
    std::vector<float> values{1, 2, 3};
    const std::span<float> all = values;
    thread.begin(all.subspan(2, 1));
    firstIsSummed.wait(); // without finish()
    thread.begin(all.subspan(1, 1));
    thread.begin(all.first(1));
    VERIFY_OK(thread.finish());
    QCOMPARE(values, (std::vector<float>{2, 4, 6}));
    QCOMPARE(order, (std::vector<const float*>{&values[2], &values[1], &values[0]}));
    VERIFY_OK(thread.finish()); // nothing to do
}

void TstPackThread::anErrorEndsItsStepOnly()
{
    int calls = 0;
    PackThread thread([&](std::span<float> pack) -> Result<void> {
        ++calls;
        if (pack[0] < 0) {
            return fail(ErrorCode::Unavailable,
                        ErrorKind{"test.lost_pack", "A worker has been lost."});
        }
        return {};
    });
    std::vector<float> values{1, -1, 1};
    for (float& value : values) {
        thread.begin({&value, 1});
    }
    VERIFY_ERROR(thread.finish(), "test.lost_pack");
    QCOMPARE(calls, 2); // the third is left alone
    thread.begin({values.data(), 1});
    VERIFY_OK(thread.finish());
    QCOMPARE(calls, 3);
}

/// The thread that computes writes packs, lets them go and reads their sums, step by step.
void TstPackThread::everyStepHasItsSums()
{
    constexpr std::size_t kPacks = 5;
    constexpr std::size_t kPackSize = 64;
    PackThread thread([](std::span<float> pack) {
        std::ranges::transform(pack, pack.begin(), [](float value) { return 2 * value; });
        return Result<void>();
    });
    std::vector<float> values(kPacks * kPackSize);
    for (int step = 0; step < 500; ++step) {
        for (std::size_t pack = kPacks; pack-- > 0;) {
            const auto part = std::span(values).subspan(pack * kPackSize, kPackSize);
            std::ranges::fill(part, static_cast<float>(step));
            thread.begin(part);
        }
        VERIFY_OK(thread.finish());
        const auto isSum = [&](float value) { return value == static_cast<float>(2 * step); };
        QVERIFY(std::ranges::all_of(values, isSum));
    }
}

/// A step that failed elsewhere is left as it is.
void TstPackThread::mayEndInTheMiddleOfAStep()
{
    std::vector<float> values(3, 1);
    std::latch isSumming(1);
    {
        PackThread thread([&](std::span<float> pack) {
            if (pack.data() == values.data()) {
                isSumming.count_down();
            }
            pack[0] += 1;
            return Result<void>();
        });
        for (float& value : values) {
            thread.begin({&value, 1});
        }
        isSumming.wait();
    }
    QCOMPARE(values[0], 2.0F); // was on its way
}

CANNERY_TEST(TstPackThread)
#include "tst_pack_thread.moc"
