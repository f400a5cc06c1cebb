// SPDX-License-Identifier: Apache-2.0
#include "kernels/accelerator/branches.h"
#include "tests/core/plan/device_cluster.h"
#include "tests/support/branch_order.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <set>
#include <variant>

using namespace cannery;
using namespace cannery::tests;

/// When the gradients of several devices are added up.
class TstDeviceSums : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void travelWhileOthersAreComputed();
};

namespace {

/// A device that keeps the last step that was prepared.
class WatchedDevice : public EmulatedDevice
{
public:
    explicit WatchedDevice(std::vector<kernels::Operation>& step) : m_step(step) {}

    Result<std::unique_ptr<kernels::AcceleratorGraph>>
    prepare(std::span<const kernels::Operation> operations) override
    {
        m_step.assign(operations.begin(), operations.end());
        return EmulatedDevice::prepare(operations);
    }

private:
    std::vector<kernels::Operation>& m_step;
};

} // namespace

void TstDeviceSums::travelWhileOthersAreComputed()
{
    std::vector<std::vector<kernels::Operation>> steps(2);
    runAll({.estimator = "dnn_classifier { feature_columns: ['x'] hidden_units: [16, 16, 16] "
                         "optimizer { adagrad {} } }",
            .device =
                [&](std::int64_t rank) {
                    return std::make_unique<WatchedDevice>(steps[static_cast<std::size_t>(rank)]);
                }},
           [&](const Process& process) {
               const auto rows = toyRows(kShardRows, process.rank);
               THREAD_VERIFY(process.model.train({&rows, 1}, 0).has_value());
           });
    const std::vector<kernels::Operation>& step = steps.front();
    const auto places = kernels::placeInBranches(step, 8);
    const auto isExchange = [](const kernels::Operation& operation) {
        return std::holds_alternative<kernels::ExchangeParts>(operation);
    };
    QVERIFY(std::ranges::count_if(step, isExchange) > 2);
    const auto first =
        static_cast<std::size_t>(std::ranges::find_if(step, isExchange) - step.begin());
    const std::set<std::size_t> done = doneBefore(places)[first];
    int overtaken = 0;
    for (std::size_t at = 0; at < first; ++at) {
        const bool isProduct = std::holds_alternative<kernels::Product>(step[at]);
        overtaken += isProduct && !done.contains(at) ? 1 : 0;
    }
    QVERIFY2(overtaken >= 3, qPrintable(QString::number(overtaken)));
}

CANNERY_TEST(TstDeviceSums)
#include "tst_device_sums.moc"
