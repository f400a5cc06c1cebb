// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/project_fixture.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonObject>
#include <QLocale>
#include <QTest>

using namespace cannery;
using namespace cannery::tests;

/// Tables whose numbers are not written as 1234.5: what `new` makes of them trains, predicts and is
/// found.
class TstWrittenNumbers : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void amountsAreNumbers();
    void nanAndInfinityAreMissing();
    void ambiguousNumbersAreLeftOut();
    void aTextAmongNumbersIsNamed();
    void aCellThatSpoilsTrainingIsNamed();
};

namespace {

/// `price` has a decimal comma and points between its thousands, `net` is a dollar amount with
/// brackets, `share` a percentage; the label is a German amount.
QByteArray amounts(int rows)
{
    const QLocale german(QLocale::German);
    const QLocale english(QLocale::English);
    QByteArray table = "price;net;share;label\n";
    for (int i = 0; i < rows; ++i) {
        const double price = 300 + (i * 7919 % 1000) * 9.37;
        const double net = (i * 613 % 100) * 17.5 - 300;
        const int share = i * 37 % 101;
        const double label = 2 * price + 3 * net + 20 * share;
        QString amount = "$" + english.toString(qAbs(net), 'f', 2);
        amount = net < 0 ? "(" + amount + ")" : amount;
        table += (german.toString(price, 'f', 2) + ";" + amount + ";" + QString::number(share) +
                  " %;" + german.toString(label, 'f', 2) + "\n")
                     .toUtf8();
    }
    return table;
}

/// Writes into the cell of x on line 9.
void spoil(const ProjectFixture& project, const QByteArray& cell)
{
    QByteArrayList lines = project.read("table.csv").split('\n');
    QByteArrayList cells = lines[8].split(',');
    cells[1] = cell;
    lines[8] = cells.join(',');
    project.write("table.csv", lines.join('\n'));
}

QJsonObject columnOf(const QJsonObject& facts, const char* name)
{
    for (const QJsonValue& column : facts["columns"].toArray()) {
        if (column.toObject()["name"] == QLatin1String(name)) {
            return column.toObject();
        }
    }
    return {};
}

} // namespace

void TstWrittenNumbers::amountsAreNumbers()
{
    const ProjectFixture project;
    project.write("a.csv", amounts(120));
    const ProgramResult made =
        project.run({"new", "a.csv", "--label", "label", "--output", "a.cannery", "--json",
                     "--estimator", "linear_regressor", "--no-tries"});
    QVERIFY2(made.exitCode == 0, qPrintable(made.err));
    for (const char* name : {"price", "net", "share", "label"}) {
        const QJsonObject column = columnOf(json(made), name);
        QCOMPARE(column["type"].toString(), "number");
        QCOMPARE(column["missing"].toInt(), 0);
        QVERIFY2(!column["notation"].toString().isEmpty(), name);
    }
    QVERIFY(columnOf(json(made), "net")["min"].toDouble() < -200);
    const QByteArray text = project.read("a.cannery");
    QVERIFY2(text.contains("group_mark: \".\"") && text.contains("brackets_negative: true"), text);
    QVERIFY2(text.contains("# Read net as numbers, such as \""), text);

    const ProgramResult trained = project.run(
        {"train", "a.cannery", "--model-dir", "m", "--quiet", "--set", "train_spec.max_steps=20"});
    QVERIFY2(trained.exitCode == 0, qPrintable(trained.err));
    const ProgramResult predicted = project.run(
        {"predict", "a.cannery", "--model-dir", "m", "--input", "a.csv", "--output", "p.csv"});
    QVERIFY2(predicted.exitCode == 0, qPrintable(predicted.err));
    const QByteArrayList rows = project.read("p.csv").trimmed().split('\n');
    QCOMPARE(rows.size(), 121);

    // A row of a program, in the table's notation and in plain numbers.
    const QByteArray json =
        "{\"price\": \"1.299,50\", \"net\": \"($22.55)\", \"share\": \"36 %\"}\n"
        "{\"price\": 1299.5, \"net\": -22.55, \"share\": 36}\n";
    const ProgramResult served =
        project.run({"predict", "a.cannery", "--model-dir", "m", "--serve"}, json);
    QVERIFY2(served.exitCode == 0, qPrintable(served.err));
    const QStringList answers = served.out.trimmed().split('\n');
    QCOMPARE(answers.size(), 2);
    QCOMPARE(answers[0], answers[1]);
    QVERIFY(!answers[0].contains("error"));

    for (const char* file : {"a.csv", "a.cannery"}) {
        const ProgramResult found = project.run(
            {"browse", file, "--filter", "price > 5000 and net < 0", "--sort", "price", "--json"});
        QVERIFY2(found.exitCode == 0, qPrintable(found.err));
        const int count = tests::json(found)["total"].toInt();
        QVERIFY2(count > 0 && count < 60, qPrintable(found.out));
    }
}

void TstWrittenNumbers::nanAndInfinityAreMissing()
{
    const ProjectFixture project;
    QByteArray table = "x,z,label\n";
    for (int i = 0; i < 90; ++i) {
        const QByteArray z = i % 9 == 0 ? "NaN" : i % 9 == 1 ? "inf" : QByteArray::number(i * 0.5);
        table += QByteArray::number(i % 13 + 0.25) + "," + z + "," +
                 (i == 4 ? QByteArray("7.5") : QByteArray::number(i * 0.75)) + "\n";
    }
    project.write("n.csv", table);
    const ProgramResult missing =
        project.run({"browse", "n.csv", "--filter", "z is missing", "--json"});
    QVERIFY2(missing.exitCode == 0, qPrintable(missing.err));
    QCOMPARE(json(missing)["total"].toInt(), 20);
    const ProgramResult made = project.run(
        {"new", "n.csv", "--label", "label", "--output", "n.cannery", "--json", "--no-tries"});
    QVERIFY2(made.exitCode == 0, qPrintable(made.err));
    QCOMPARE(columnOf(json(made), "z")["missing"].toInt(), 20);
    QVERIFY(project.read("n.cannery").contains("missing_token: \"inf\""));
    const ProgramResult trained = project.run(
        {"train", "n.cannery", "--model-dir", "m", "--quiet", "--set", "train_spec.max_steps=20"});
    QVERIFY2(trained.exitCode == 0, qPrintable(trained.err));
    const ProgramResult predicted = project.run(
        {"predict", "n.cannery", "--model-dir", "m", "--input", "n.csv", "--output", "p.csv"});
    QVERIFY2(predicted.exitCode == 0, qPrintable(predicted.err));
    const QByteArray answers = project.read("p.csv");
    QCOMPARE(answers.count('\n'), 91);
    QVERIFY(!answers.contains("nan"));
}

void TstWrittenNumbers::ambiguousNumbersAreLeftOut()
{
    const ProjectFixture project;
    QByteArray table = "x,amount,label\n";
    for (int i = 0; i < 90; ++i) {
        table += QByteArray::number(i % 13 + 0.25) + ",\"" + QByteArray::number(i + 1) + "," +
                 QByteArray::number(100 + i * 7) + "\"," + QByteArray::number(i * 0.75) + "\n";
    }
    project.write("t.csv", table);
    const ProgramResult made =
        project.run({"new", "t.csv", "--label", "label", "--output", "t.cannery", "--no-tries"});
    QVERIFY2(made.exitCode == 0, qPrintable(made.err));
    QVERIFY2(made.err.contains("left out amount: has numbers that may be read in two ways, such as "
                               "\"1,100\""),
             qPrintable(made.err));
    // The cures of the remark.
    for (const auto& [example, least] : {std::pair("1,234.5", 1100.0), std::pair("1234,5", 1.1)}) {
        QVERIFY2(made.err.contains(QStringLiteral("--numbers 'amount=%1'").arg(example)),
                 qPrintable(made.err));
        const ProgramResult said =
            project.run({"new", "t.csv", "--label", "label", "--output", "said.cannery", "--json",
                         "--no-tries", "--numbers", QStringLiteral("amount=%1").arg(example)});
        QVERIFY2(said.exitCode == 0, qPrintable(said.err));
        const QJsonObject amount = columnOf(json(said), "amount");
        QVERIFY2(qAbs(amount["min"].toDouble() - least) < 1e-3, qPrintable(said.out));
        const ProgramResult trained =
            project.run({"train", "said.cannery", "--quiet", "--set", "train_spec.max_steps=5"});
        QVERIFY2(trained.exitCode == 0, qPrintable(trained.err));
        QFile::remove(project.path("said.cannery"));
    }
    const ProgramResult unclear = project.run(
        {"new", "t.csv", "--label", "label", "--output", "u.cannery", "--numbers", "amount=1,234"});
    QCOMPARE(unclear.exitCode, 2);
}

void TstWrittenNumbers::aTextAmongNumbersIsNamed()
{
    const ProjectFixture project;
    spoil(project, "abc");
    const QByteArray scaled = project.experiment(
        "numeric_column { key: \"x\" }", "numeric_column { key: \"x\" normalizer { z_score {} } }");
    project.write("scaled.cannery", scaled);
    for (const char* file : {"fixture.cannery", "scaled.cannery"}) {
        for (const char* command : {"check", "train"}) {
            const ProgramResult refused = project.run({command, file});
            QCOMPARE(refused.exitCode, 3);
            const QString said = refused.out + refused.err;
            QVERIFY2(said.contains("table.csv:9: \"abc\" in column x"), qPrintable(said));
            QVERIFY2(!said.contains("divide by 0"), qPrintable(said));
        }
    }
}

void TstWrittenNumbers::aCellThatSpoilsTrainingIsNamed()
{
    const ProjectFixture project;
    spoil(project, "inf");
    const ProgramResult spoilt = project.run({"train", "fixture.cannery"});
    QCOMPARE(spoilt.exitCode, 4);
    QVERIFY2(spoilt.err.contains("table.csv:9: inf of 'x'"), qPrintable(spoilt.err));
    QVERIFY2(!spoilt.err.contains("earning rate"), qPrintable(spoilt.err));
    const ProgramResult cured =
        project.run({"train", "fixture.cannery", "--set",
                     R"(data.column=[{ name: "x" missing_token: "inf" default_value: "0" }])"});
    QVERIFY2(cured.exitCode == 0, qPrintable(cured.err));
}

CANNERY_TEST(TstWrittenNumbers)
#include "tst_written_numbers.moc"
