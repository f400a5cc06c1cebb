// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/project_fixture.h"
#include "tests/support/test_main.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QTest>

using namespace cannery::tests;

/// Tables in other formats, and their schemas.
class TstConvert : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void keepsEveryCell();
    void overwritesNothing();
    void validateFindsWhatTheSchemaLacks();
};

void TstConvert::keepsEveryCell()
{
    const ProjectFixture project;
    const ProgramResult records = project.run({"convert", "table.csv", "copy.tfrecord.gz"});
    QVERIFY2(records.exitCode == 0, qPrintable(records.err));
    QVERIFY(project.read("schema.pbtxt").contains("name: \"colour\""));
    const ProgramResult back = project.run({"convert", "copy.tfrecord.gz", "back.csv", "--json"});
    QVERIFY2(back.exitCode == 0, qPrintable(back.err));
    QCOMPARE(json(back)["rows"].toInt(), 200);
    const QByteArrayList before = project.read("table.csv").trimmed().split('\n');
    const QByteArrayList after = project.read("back.csv").trimmed().split('\n');
    QCOMPARE(after.size(), before.size());
    const QByteArrayList names = before[0].split(',');
    const QByteArrayList namesAfter = after[0].split(',');
    QCOMPARE(namesAfter.size(), names.size());
    for (qsizetype row = 1; row < before.size(); ++row) {
        const QByteArrayList cells = after[row].split(',');
        for (qsizetype i = 0; i < names.size(); ++i) {
            const QByteArray& cell = cells[namesAfter.indexOf(names[i])];
            const QByteArray wanted = before[row].split(',')[i];
            QVERIFY2(cell == wanted || cell.toFloat() == wanted.toFloat(), cell + " for " + wanted);
        }
    }
}

void TstConvert::overwritesNothing()
{
    const ProjectFixture project;
    const QByteArray before = project.read("table.csv");
    QCOMPARE(project.run({"convert", "table.csv", "copy.tfrecord"}).exitCode, 0);
    const ProgramResult refused = project.run({"convert", "copy.tfrecord", "table.csv"});
    QCOMPARE(refused.exitCode, 1);
    QVERIFY2(refused.err.contains("never overwrites"), qPrintable(refused.err));
    QCOMPARE(project.read("table.csv"), before);
    QVERIFY(project.run({"convert", "table.csv", "table.xlsx"}).exitCode != 0);
    QVERIFY(!project.exists("table.xlsx"));
}

void TstConvert::validateFindsWhatTheSchemaLacks()
{
    const ProjectFixture project;
    QCOMPARE(project.run({"convert", "table.csv", "copy.tfrecord"}).exitCode, 0);
    const QStringList validate{"validate", "table.csv", "--schema", "schema.pbtxt"};
    const ProgramResult sound = project.run(validate);
    QVERIFY2(sound.exitCode == 0, qPrintable(sound.out + sound.err));
    QVERIFY2(!sound.out.contains("anomaly"), qPrintable(sound.out));
    project.write("table.csv", project.read("table.csv").replace("x,", "z,"));
    const ProgramResult other = project.run(QStringList(validate) << "--json");
    QCOMPARE(other.exitCode, 1);
    QStringList features;
    for (const QJsonValue& anomaly : json(other)["anomalies"].toArray()) {
        features << anomaly.toObject()["feature"].toString();
    }
    QVERIFY2(features.contains("x") && features.contains("z"), qPrintable(other.out));
}

CANNERY_TEST(TstConvert)
#include "tst_convert.moc"
