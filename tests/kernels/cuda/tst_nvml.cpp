// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/nvml.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <array>

using namespace cannery::kernels::cuda;

/// What the driver's management library says of a GPU.
class TstNvml : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void tellsMemoryAndUse();
    void knowsPartsOfAGpu();
    void withoutTheLibraryNothingIsKnown();
};

namespace {

/// The bytes of 00010203-0405-0607-0809-0a0b0c0d0eff, but for the first one.
std::array<char, Nvml::kUuidBytes> uuid(char first)
{
    return {first, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, '\xff'};
}

} // namespace

void TstNvml::tellsMemoryAndUse()
{
    const Nvml nvml(CANNERY_FAKE_NVML);
    NvmlDevice* const gpu = nvml.find(uuid(0));
    QVERIFY(gpu != nullptr);
    QVERIFY(nvml.freeBytes(gpu) == std::optional<std::int64_t>(30));
    QVERIFY(nvml.busy(gpu) == std::optional<double>(0.75));
}

void TstNvml::knowsPartsOfAGpu()
{
    const Nvml nvml(CANNERY_FAKE_NVML);
    NvmlDevice* const part = nvml.find(uuid(0x10));
    QVERIFY(nvml.freeBytes(part) == std::optional<std::int64_t>(20));
    QVERIFY(nvml.busy(part) == std::nullopt);
    QVERIFY(nvml.find(uuid(0x20)) == nullptr);
    QVERIFY(nvml.freeBytes(nullptr) == std::nullopt);
    QVERIFY(nvml.busy(nullptr) == std::nullopt);
}

void TstNvml::withoutTheLibraryNothingIsKnown()
{
    // The second one is a library, but not this one.
    for (const char* const file : {"/nowhere/libnvidia-ml.so.1", "libc.so.6"}) {
        const Nvml nvml(file);
        QVERIFY(nvml.find(uuid(0)) == nullptr);
    }
}

CANNERY_TEST(TstNvml)
#include "tst_nvml.moc"
