// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/cpu_level.h"
#include "tests/support/test_main.h"

#include <QDirIterator>
#include <QRegularExpression>
#include <QTest>

using namespace cannery::kernels;

class TstCpuLevel : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void namesAreReadBack();
    void capLowersAndNeverRaises();
    void levelInUseIsOneThatTheMachineHas();
    void widerKernelsShareNoInlineCode();
};

void TstCpuLevel::namesAreReadBack()
{
    for (const CpuLevel level : {CpuLevel::X86_64_v3, CpuLevel::X86_64_v4}) {
        QVERIFY(cpuLevelNamed(name(level)) == level);
    }
    QVERIFY(!cpuLevelNamed("avx2"));
    QVERIFY(!cpuLevelNamed(""));
}

void TstCpuLevel::capLowersAndNeverRaises()
{
    using enum CpuLevel;
    // The lowest level has the name of the processor that the engine is built for.
    QVERIFY(cpuLevelUnder(X86_64_v4, name(X86_64_v3)) == X86_64_v3);
    QVERIFY(cpuLevelUnder(X86_64_v3, "x86-64-v4") == X86_64_v3);
    QVERIFY(cpuLevelUnder(X86_64_v4, "") == X86_64_v4);
    QVERIFY(cpuLevelUnder(X86_64_v4, "x86-64-v9") == X86_64_v4);
}

void TstCpuLevel::levelInUseIsOneThatTheMachineHas()
{
    QVERIFY(cpuLevel() <= machineCpuLevel());
    const QByteArray cap = qgetenv(kCpuLevelVariable);
    QVERIFY(cpuLevel() == cpuLevelUnder(machineCpuLevel(), cap.toStdString()));
}

/// The linker could keep an inline function of a file compiled for AVX-512 for all files.
void TstCpuLevel::widerKernelsShareNoInlineCode()
{
    const QStringList allowed = {"kernels/cpu/centers_kernels.h", "kernels/cpu/gemm_kernels.h",
                                 "kernels/cpu/columns_kernels.h", "immintrin.h", "cstdint"};
    const QString folder = QStringLiteral(CANNERY_SOURCE_DIR "/kernels/cpu/");
    QStringList files = {"centers_kernels.h", "gemm_kernels.h", "columns_kernels.h"};
    QDirIterator wide(folder, {"*_avx512.cpp"});
    while (wide.hasNext()) {
        wide.next();
        files << wide.fileName();
    }
    QVERIFY(files.size() > 3);
    for (const QString& name : files) {
        QFile file(folder + name);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString text = QString::fromUtf8(file.readAll());
        static const QRegularExpression include("#include [<\"]([^>\"]+)[>\"]");
        for (auto matches = include.globalMatch(text); matches.hasNext();) {
            const QString header = matches.next().captured(1);
            QVERIFY2(allowed.contains(header), qPrintable(name + " includes " + header));
        }
        QVERIFY2(name.endsWith(".cpp") ? text.contains("namespace {") : !text.contains("return "),
                 qPrintable(name));
    }
}

CANNERY_TEST(TstCpuLevel)
#include "tst_cpu_level.moc"
