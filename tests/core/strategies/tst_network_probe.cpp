// SPDX-License-Identifier: Apache-2.0
#include "core/strategies/network_probe.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <cmath>

using namespace cannery;
using namespace cannery::strategies;

class TstNetworkProbe : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void measuresMessagesOfThisMachine();
};

/// Whatever they are: nothing about time can be promised.
void TstNetworkProbe::measuresMessagesOfThisMachine()
{
    const Result<NetworkFigures> figures = measureLoopback(0.01);
    VERIFY_OK(figures);
    QVERIFY(figures->latencySeconds > 0 && std::isfinite(figures->latencySeconds));
    QVERIFY(figures->bytesPerSecond > 0 && std::isfinite(figures->bytesPerSecond));
    VERIFY_OK(measureLoopback(0.01)); // again: nothing is left behind
}

CANNERY_TEST(TstNetworkProbe)
#include "tst_network_probe.moc"
