// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/cuda_status.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery::kernels::cuda;

/// What the answers of CUDA mean.
class TstCudaStatus : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void answersHaveMeanings_data();
    void answersHaveMeanings();
};

void TstCudaStatus::answersHaveMeanings_data()
{
    QTest::addColumn<int>("answer");
    QTest::addColumn<Outcome>("outcome");
    QTest::newRow("success") << int{cudaSuccess} << Outcome::Done;
    QTest::newRow("memory") << int{cudaErrorMemoryAllocation} << Outcome::OutOfMemory;
    QTest::newRow("no device") << int{cudaErrorNoDevice} << Outcome::NoDevice;
    QTest::newRow("driver") << int{cudaErrorInsufficientDriver} << Outcome::DriverTooOld;
    QTest::newRow("exclusive") << int{cudaErrorDevicesUnavailable} << Outcome::Unavailable;
    QTest::newRow("ECC") << int{cudaErrorECCUncorrectable} << Outcome::Lost;
    QTest::newRow("launch") << int{cudaErrorLaunchFailure} << Outcome::Lost;
    QTest::newRow("contained") << 226 << Outcome::Lost;
    QTest::newRow("address") << int{cudaErrorIllegalAddress} << Outcome::Failed;
    QTest::newRow("capture") << int{cudaErrorStreamCaptureInvalidated} << Outcome::Failed;
}

void TstCudaStatus::answersHaveMeanings()
{
    QFETCH(int, answer);
    QFETCH(Outcome, outcome);
    const CallStatus status = statusOf(static_cast<cudaError_t>(answer));
    QCOMPARE(status.outcome, outcome);
    QCOMPARE(status.reason.empty(), status.ok());
    if (answer == cudaErrorNoDevice) {
        QCOMPARE(status.reason,
                 std::string("no CUDA-capable device is detected (cudaErrorNoDevice)"));
    }
}

CANNERY_TEST(TstCudaStatus)
#include "tst_cuda_status.moc"
