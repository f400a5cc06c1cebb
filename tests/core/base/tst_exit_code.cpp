// SPDX-License-Identifier: Apache-2.0
#include "core/base/exit_code.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery;

/// What a script learns of an error from the exit code alone.
class TstExitCode : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void idDecides_data();
    void idDecides();
};

void TstExitCode::idDecides_data()
{
    QTest::addColumn<QByteArray>("id");
    QTest::addColumn<int>("code");
    QTest::newRow("a damaged CSV file") << QByteArray("csv.bad_row") << 3;
    QTest::newRow("a damaged npz file") << QByteArray("npz.damaged") << 3;
    QTest::newRow("a damaged picture") << QByteArray("image.truncated") << 3;
    QTest::newRow("a folder without pictures") << QByteArray("image_folder.no_pictures") << 3;
    QTest::newRow("a damaged record") << QByteArray("tfrecord.damaged") << 3;
    QTest::newRow("a database") << QByteArray("sqlite_source.no_table") << 3;
    QTest::newRow("a zip archive") << QByteArray("zip.damaged") << 3;
    QTest::newRow("an experiment") << QByteArray("spec.unknown_field") << 3;
    QTest::newRow("a schedule") << QByteArray("schedule.bad_step") << 3;
    QTest::newRow("NaN") << QByteArray("train.nan_loss") << 4;
    QTest::newRow("no checkpoint") << QByteArray("train.no_checkpoint") << 5;
    QTest::newRow("a training of another kind") << QByteArray("train.no_label") << 3;
    QTest::newRow("a lost GPU") << QByteArray("gpu.lost") << 202;
    QTest::newRow("another") << QByteArray("io.write_failed") << 1;
}

void TstExitCode::idDecides()
{
    QFETCH(QByteArray, id);
    QFETCH(int, code);
    QCOMPARE(static_cast<int>(exitCodeOf(Error{.id = id.toStdString()})), code);
}

CANNERY_TEST(TstExitCode)
#include "tst_exit_code.moc"
