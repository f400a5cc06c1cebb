// SPDX-License-Identifier: Apache-2.0
#include "core/data/dataset.h"
#include "core/reports/report_json.h"
#include "core/spec/text/parsed_experiment.h"
#include "core/survey/vocabulary_words.h"
#include "tests/core/data/text_file.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>
#include <QTest>

using namespace cannery;
using namespace cannery::survey;

/// The words of a column, as a vocabulary file lists them.
class TstVocabularyWords : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void frequentWordsComeFirst();
    void integersAreWords();
    void listsAreCountedByTheirValues();
    void whatIsNoWordIsLeftOut();
    void columnsWithoutWordsAreRefused();
    void filesHaveALineForEachWord();

private:
    /// "blue 2, red 1" for a feature of the table.
    Result<std::string> words(const std::string& table, const std::string& feature,
                              const std::string& data = {}) const
    {
        tests::textFile(m_folder, "t.csv", table);
        const spec::ParsedExperiment parsed = spec::parseExperiment(
            "data { train { csv { files: \"t.csv\" } } " + data + " label { column: \"y\" } }");
        CANNERY_TRY_ASSIGN(const data::Dataset dataset,
                           data::Dataset::open(parsed.experiment.data(),
                                               m_folder.path().toStdString(),
                                               data::DataPart::Train));
        CANNERY_TRY_ASSIGN(const std::vector<VocabularyWord> found, wordsOf(dataset, feature, {}));
        std::string text;
        for (const VocabularyWord& word : found) {
            text += (text.empty() ? "" : ", ") + word.text + " " + std::to_string(word.count);
        }
        return text;
    }

    QTemporaryDir m_folder;
};

void TstVocabularyWords::frequentWordsComeFirst()
{
    const auto found = words("c,y\nred,1\nblue,0\ngreen,1\nblue,0\nRed,1\n", "c");
    VERIFY_OK(found);
    QCOMPARE(*found, std::string("blue 2, Red 1, green 1, red 1"));
}

void TstVocabularyWords::integersAreWords()
{
    const auto found = words("n,y\n10,1\n9,0\n-3,1\n9,0\n", "n");
    VERIFY_OK(found);
    QCOMPARE(*found, std::string("9 2, -3 1, 10 1"));
}

void TstVocabularyWords::listsAreCountedByTheirValues()
{
    const auto found = words("t,y\na|b,1\nb,0\n,1\nb|a|b,0\n", "tags",
                             "feature { name: \"tags\" split { column: \"t\" separator: \"|\" } }");
    VERIFY_OK(found);
    QCOMPARE(*found, std::string("b 4, a 2"));
}

/// A vocabulary file has no empty lines, and a word is one line.
void TstVocabularyWords::whatIsNoWordIsLeftOut()
{
    const auto found = words("c,y\nred,1\n,0\n\"two\nlines\",1\nred,0\n", "c");
    VERIFY_OK(found);
    QCOMPARE(*found, std::string("red 2"));
}

void TstVocabularyWords::columnsWithoutWordsAreRefused()
{
    VERIFY_ERROR(words("x,y\n1.5,1\n2.25,0\n", "x"), "data.words_are_fractions");
    VERIFY_ERROR(words("c,y\n,1\n,0\n", "c", "column { name: \"c\" dtype: string }"),
                 "data.no_words");
    QVERIFY(!words("c,y\nred,1\n", "colour"));
}

void TstVocabularyWords::filesHaveALineForEachWord()
{
    const std::vector<VocabularyWord> all{{"blue", 2}, {"say \"so\"", 1}};
    QCOMPARE(vocabularyText(all), std::string("blue\nsay \"so\"\n"));
    QCOMPARE(vocabularyText({}), std::string());
    QCOMPARE(reports::reportJson(vocabularyReport("c", all)),
             std::string("{\"feature\":\"c\",\"words\":[{\"word\":\"blue\",\"count\":2},"
                         "{\"word\":\"say \\\"so\\\"\",\"count\":1}]}"));
}

CANNERY_TEST(TstVocabularyWords)
#include "tst_vocabulary_words.moc"
