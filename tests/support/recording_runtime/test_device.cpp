// SPDX-License-Identifier: Apache-2.0
#include "tests/support/recording_runtime/test_device.h"

#include "core/base/check.h"
#include "kernels/accelerator/plugin.h"
#include "tests/support/emulated_device/emulated_device.h"
#include "tests/support/recording_runtime/recorded_accelerator.h"

using namespace cannery::kernels;

namespace cannery::tests {

namespace {

bool isOnGpu()
{
    return qgetenv(kTestDeviceVariable) == "gpu";
}

Result<std::unique_ptr<Accelerator>> firstGpu()
{
    CANNERY_TRY_ASSIGN(AcceleratorPlugin* const plugin, acceleratorPlugin());
    return plugin->open(0);
}

Result<std::unique_ptr<Accelerator>> chosenDevice(RuntimeJournal& journal)
{
    if (isOnGpu()) {
        return firstGpu();
    }
    if (qgetenv(kTestDeviceVariable) == "recorded") {
        // Copies run ahead of operations that they do not wait for, and nothing runs early.
        const RecordingOptions options{.order = RunOrder::LastStream};
        return recordedAccelerator(journal, options);
    }
    return std::make_unique<EmulatedDevice>(EmulatedOptions{.watches = true});
}

} // namespace

TestDevice::TestDevice()
{
    Result<std::unique_ptr<Accelerator>> device = chosenDevice(*m_journal);
    CANNERY_CHECK(device.has_value());
    m_accelerator = *std::move(device);
}

QByteArray TestDevice::mistake() const
{
    return m_journal->mistakes.empty() ? QByteArray()
                                       : QByteArray::fromStdString(m_journal->mistakes.front());
}

QByteArray TestDevice::absence()
{
    if (!isOnGpu()) {
        return {};
    }
    const Result<std::unique_ptr<Accelerator>> device = firstGpu();
    return device ? QByteArray() : QByteArray::fromStdString(device.error().sentence);
}

} // namespace cannery::tests
