// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/project_fixture.h"
#include "tests/support/test_main.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QTest>

using namespace cannery::tests;

/// A feature column that cannot be made leaves the others, and the table, to be shown; and what
/// makes its vocabulary anew.
class TstPreviewProblems : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aMissingVocabularyIsTheProblemOfItsColumnsAlone();
    void aVocabularyThatIsTooShortIsToldWhereItIsWrong();
    void withoutAnyUsableColumnTheTableIsStillShown();
    void wordsAreListedByTheirCount();
    void wordsAreWrittenIntoANewFile();
    void fractionsAreNoWords();
};

namespace {

/// The fixture with the words of its colours in a file; `more`: of that column.
void useFile(const ProjectFixture& project, const QByteArray& more = {})
{
    project.write("fixture.cannery",
                  project.experiment("categorical_column_with_vocabulary_list { key: \"colour\" "
                                     "vocabulary_list: [\"red\", \"green\", \"blue\"] }",
                                     "categorical_column_with_vocabulary_file { key: \"colour\" "
                                     "vocabulary_file: \"colours.txt\" " +
                                         more + "}"));
}

QStringList inputs(const QJsonObject& preview)
{
    QStringList names;
    for (const auto input : preview["inputs"].toArray()) {
        names << input.toObject()["column"].toString();
    }
    names.sort();
    return names;
}

} // namespace

void TstPreviewProblems::aMissingVocabularyIsTheProblemOfItsColumnsAlone()
{
    const ProjectFixture project;
    useFile(project);
    const ProgramResult shown = project.run({"preview", "fixture.cannery", "--json"});
    QVERIFY2(shown.exitCode == 0, qPrintable(shown.err));
    const QJsonObject preview = json(shown);
    QCOMPARE(inputs(preview), QStringList({"x", "y"}));
    QCOMPARE(preview["rows"].toArray().size(), 200);
    QCOMPARE(preview["rows"].toArray().first().toObject().keys(), QStringList({"label", "x", "y"}));
    QCOMPARE(preview["columns"].toArray().size(), 5);
    QStringList columns;
    for (const auto one : preview["column_problems"].toArray()) {
        const QJsonObject problem = one.toObject();
        columns << problem["column"].toString();
        QCOMPARE(problem["id"].toString(), QString("features.vocabulary_unreadable"));
        QCOMPARE(problem["path"].toString(),
                 QString("feature_column[colour].categorical_column_with_vocabulary_file."
                         "vocabulary_file"));
        QVERIFY(problem["problem"].toString().contains("colours.txt: No such file"));
    }
    QCOMPARE(columns, QStringList({"colour_indicator", "colour_embedding"}));
    const ProgramResult text = project.run({"preview", "fixture.cannery"});
    QCOMPARE(text.exitCode, 0);
    QVERIFY(text.out.contains("x float32 [1]"));
    QVERIFY2(text.err.contains("warning: colour_indicator is left out: The vocabulary of"),
             qPrintable(text.err));
    // What trains does not leave anything out.
    QCOMPARE(project.run({"train", "fixture.cannery", "--model-dir", "m"}).exitCode, 3);
}

void TstPreviewProblems::aVocabularyThatIsTooShortIsToldWhereItIsWrong()
{
    const ProjectFixture project;
    useFile(project, "vocabulary_size: 5 ");
    project.write("colours.txt", "red\ngreen\n");
    const QJsonObject preview = json(project.run({"preview", "fixture.cannery", "--json"}));
    const QJsonObject problem = preview["column_problems"].toArray().first().toObject();
    QCOMPARE(problem["id"].toString(), QString("features.vocabulary_file_size"));
    QVERIFY(problem["path"].toString().endsWith(".vocabulary_size"));
    QCOMPARE(inputs(preview), QStringList({"x", "y"}));
    project.write("colours.txt", "red\ngreen\nblue\npink\ngrey\n");
    const QJsonObject sound = json(project.run({"preview", "fixture.cannery", "--json"}));
    QCOMPARE(sound["column_problems"].toArray().size(), 0);
    QCOMPARE(inputs(sound).size(), 3);
}

void TstPreviewProblems::withoutAnyUsableColumnTheTableIsStillShown()
{
    const ProjectFixture project;
    useFile(project);
    const ProgramResult shown =
        project.run({"preview", "fixture.cannery", "--json", "--set",
                     "estimator.dnn_classifier.feature_columns=[\"colour_indicator\"]"});
    QVERIFY2(shown.exitCode == 0, qPrintable(shown.err));
    QCOMPARE(json(shown)["inputs"].toArray().size(), 0);
    QCOMPARE(json(shown)["texts"].toArray().size(), 200);
    QCOMPARE(json(shown)["column_problems"].toArray().size(), 1);
}

void TstPreviewProblems::wordsAreListedByTheirCount()
{
    const ProjectFixture project;
    // 67, 67 and 66 rows.
    QCOMPARE(project.run({"preview", "fixture.cannery", "--words", "colour"}).out,
             QString("green\nred\nblue\n"));
    const QJsonArray words =
        json(project.run({"preview", "table.csv", "--words", "colour", "--json"}))["words"]
            .toArray();
    QCOMPARE(words.size(), 3);
    QCOMPARE(words[2].toObject()["word"].toString(), QString("blue"));
    QCOMPARE(words[2].toObject()["count"].toInt(), 66);
    // Missing values are none; whole numbers are words.
    project.write("few.csv", "n,word\n3,a\n3,\n7,a\n");
    QCOMPARE(project.run({"preview", "few.csv", "--words", "word"}).out, QString("a\n"));
    QCOMPARE(project.run({"preview", "few.csv", "--words", "n"}).out, QString("3\n7\n"));
}

void TstPreviewProblems::wordsAreWrittenIntoANewFile()
{
    const ProjectFixture project;
    useFile(project);
    const QStringList words{"preview", "fixture.cannery", "--words",
                            "colour",  "--write",         "colours.txt"};
    const ProgramResult written = project.run(words);
    QVERIFY2(written.exitCode == 0, qPrintable(written.err));
    QCOMPARE(project.read("colours.txt"), QByteArray("green\nred\nblue\n"));
    const QJsonObject preview = json(project.run({"preview", "fixture.cannery", "--json"}));
    QCOMPARE(preview["column_problems"].toArray().size(), 0);
    QCOMPARE(inputs(preview).size(), 3);
    // A file that is there stays as it is.
    project.write("colours.txt", "mine\n");
    const ProgramResult refused = project.run(words);
    QCOMPARE(refused.exitCode, 1);
    QVERIFY(refused.err.contains("colours.txt is there already"));
    QCOMPARE(project.read("colours.txt"), QByteArray("mine\n"));
    QCOMPARE(project.run({"preview", "fixture.cannery", "--write", "x.txt"}).exitCode, 2);
}

void TstPreviewProblems::fractionsAreNoWords()
{
    const ProjectFixture project;
    const ProgramResult refused = project.run({"preview", "fixture.cannery", "--words", "x"});
    QCOMPARE(refused.exitCode, 3);
    QVERIFY2(refused.err.contains("numbers with fractions"), qPrintable(refused.err));
    QVERIFY(project.run({"preview", "fixture.cannery", "--words", "hue"}).exitCode != 0);
}

CANNERY_TEST(TstPreviewProblems)
#include "tst_preview_problems.moc"
