// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/project_fixture.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QProcess>
#include <QTest>

using namespace cannery::tests;

namespace {

constexpr int kColumnCount = 28;
constexpr qint64 kGigabyte = 1'000'000'000;
/// Limit on the address space, in KiB: less than the size of the file.
constexpr int kAddressSpace = 800'000;

/// About a megabyte of rows of floats with a label, in the shape of the HIGGS table.
QByteArray block()
{
    QByteArray rows;
    unsigned state = 1;
    while (rows.size() < 1'000'000) {
        rows += QByteArray::number(state % 2);
        for (int column = 0; column < kColumnCount; ++column) {
            state = state * 1664525U + 1013904223U;
            rows += ',' + QByteArray::number(state / 4294967296.0 * 4 - 2, 'g', 9);
        }
        rows += '\n';
    }
    return rows;
}

void writeTable(const QString& path)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    QByteArray header = "label";
    for (int column = 0; column < kColumnCount; ++column) {
        header += ",f" + QByteArray::number(column);
    }
    file.write(header + "\n");
    for (const QByteArray rows = block(); file.size() < kGigabyte;) {
        QCOMPARE(file.write(rows), rows.size());
    }
}

QByteArray experiment()
{
    QByteArray text = "data { train { csv { files: \"big.csv\" } } label { column: \"label\" } }\n";
    QByteArray names;
    for (int column = 0; column < kColumnCount; ++column) {
        const QByteArray name = "f" + QByteArray::number(column);
        text +=
            "feature_column { name: \"" + name + "\" numeric_column { key: \"" + name + "\" } }\n";
        names += (column == 0 ? "\"" : ", \"") + name + "\"";
    }
    return text + "estimator { linear_classifier { feature_columns: [" + names +
           "] } }\n"
           "train_spec { max_steps: 50 input { batch_size: 256 shuffle: true } }\n"
           "run_config { tf_random_seed: 1 cache_memory_mb: 32 }\n";
}

} // namespace

class TstLargeFile : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void tableLargerThanTheAddressSpaceIsTrainedOn();
};

void TstLargeFile::tableLargerThanTheAddressSpaceIsTrainedOn()
{
    const ProjectFixture project;
    writeTable(project.path("big.csv"));
    project.write("big.cannery", experiment());
    QProcess process;
    process.setWorkingDirectory(project.path(""));
    process.start("bash", {"-c",
                           QString("ulimit -v %1; exec \"$0\" train big.cannery --model-dir model "
                                   "--threads 2")
                               .arg(kAddressSpace),
                           CANNERY_PROGRAM});
    QVERIFY(process.waitForFinished(300'000));
    QVERIFY2(process.exitCode() == 0, process.readAllStandardError().constData());
    QVERIFY(project.exists("model/model.ckpt-50.index"));
}

CANNERY_TEST(TstLargeFile)
#include "tst_large_file.moc"
