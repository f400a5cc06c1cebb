// SPDX-License-Identifier: Apache-2.0
#include "core/base/interruption.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery;

class TstInterruption : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void raisedFlagEndsReading();
    void innermostScopeCounts();
};

void TstInterruption::raisedFlagEndsReading()
{
    std::atomic<bool> stop = false;
    VERIFY_OK(goOnUnlessInterrupted());
    {
        const Interruptible interruptible(&stop);
        VERIFY_OK(goOnUnlessInterrupted());
        stop = true;
        VERIFY_ERROR(goOnUnlessInterrupted(), "base.interrupted");
    }
    VERIFY_OK(goOnUnlessInterrupted());
}

void TstInterruption::innermostScopeCounts()
{
    const std::atomic<bool> stop = true;
    const Interruptible outer(&stop);
    {
        const Interruptible notNow(nullptr);
        VERIFY_OK(goOnUnlessInterrupted());
    }
    VERIFY_ERROR(goOnUnlessInterrupted(), "base.interrupted");
}

CANNERY_TEST(TstInterruption)
#include "tst_interruption.moc"
