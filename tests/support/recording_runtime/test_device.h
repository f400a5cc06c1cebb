// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/accelerator.h"
#include "tests/support/recording_runtime/recording_runtime.h"

#include <QByteArray>

#include <memory>

namespace cannery::tests {

/// Chooses the device that tests of operations run on: "emulated" (also if it is not set),
/// "recorded" (the accelerator of CUDA over a recording runtime), or "gpu" (GPU:0 of the plug-in).
inline constexpr const char* kTestDeviceVariable = "CANNERY_TEST_DEVICE";

/// That device.
class TestDevice
{
public:
    TestDevice();

    kernels::Accelerator* operator->() const { return m_accelerator.get(); }
    /// What its user did wrong; empty: nothing.
    QByteArray mistake() const;
    /// Why there is none here; empty: there is one.
    static QByteArray absence();

private:
    std::unique_ptr<RuntimeJournal> m_journal = std::make_unique<RuntimeJournal>();
    std::unique_ptr<kernels::Accelerator> m_accelerator;
};

} // namespace cannery::tests

/// For initTestCase().
#define SKIP_WITHOUT_TEST_DEVICE()                                                                 \
    do {                                                                                           \
        if (const QByteArray absence = cannery::tests::TestDevice::absence();                      \
            !absence.isEmpty()) {                                                                  \
            QSKIP(absence.constData());                                                            \
        }                                                                                          \
    } while (false)
