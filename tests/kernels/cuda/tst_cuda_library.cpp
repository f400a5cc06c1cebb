// SPDX-License-Identifier: Apache-2.0
#include "kernels/accelerator/plugin.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QProcess>
#include <QTest>

using namespace cannery;
using namespace cannery::kernels;

/// libcannery_cuda.so itself.
class TstCudaLibrary : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void isAPluginOfThisBuild();
    void listsGpusOrSaysWhyThereAreNone();
    void exportsOneName();
};

void TstCudaLibrary::isAPluginOfThisBuild()
{
    const auto plugin = loadPlugin(CANNERY_CUDA_LIBRARY);
    VERIFY_OK(plugin);
    QVERIFY((*plugin)->name().starts_with("CUDA 1"));
}

void TstCudaLibrary::listsGpusOrSaysWhyThereAreNone()
{
    const auto plugin = loadPlugin(CANNERY_CUDA_LIBRARY);
    VERIFY_OK(plugin);
    const auto devices = (*plugin)->devices();
    const auto opened = (*plugin)->open(devices ? std::ssize(*devices) : 0);
    if (devices) {
        QVERIFY(!devices->empty() && devices->front().memoryBytes > 0);
        VERIFY_ERROR(opened, "gpu.no_such_device");
        return;
    }
    // Without a driver as well as with one and no GPU.
    QVERIFY2(devices.error().id == "gpu.none" || devices.error().id == "gpu.driver_too_old",
             devices.error().sentence.c_str());
    VERIFY_ERROR(opened, devices.error().id.c_str());
}

void TstCudaLibrary::exportsOneName()
{
    QProcess nm;
    nm.start("nm", {"--dynamic", "--defined-only", "--format=just-symbols", CANNERY_CUDA_LIBRARY});
    QVERIFY(nm.waitForFinished());
    QCOMPARE(nm.readAllStandardOutput(), QByteArray(kPluginSymbol) + "\n");
}

CANNERY_TEST(TstCudaLibrary)
#include "tst_cuda_library.moc"
