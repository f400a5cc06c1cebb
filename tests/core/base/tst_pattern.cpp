// SPDX-License-Identifier: Apache-2.0
#include "core/base/pattern.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery;

namespace {

bool matches(const std::string& pattern, const std::string& subject)
{
    const Result<Pattern> compiled = Pattern::compile(pattern);
    return compiled && compiled->matchesStart(subject).value_or(false);
}

std::string sentenceOf(const std::string& pattern)
{
    const Result<Pattern> compiled = Pattern::compile(pattern);
    return compiled ? std::string() : compiled.error().sentence;
}

} // namespace

class TstPattern : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void matchesAsPythonsReMatchDoes_data();
    void matchesAsPythonsReMatchDoes();
    void searchFindsInTheMiddle();
    void saysWhatIsWrongAndWhere();
    void refusesDeepNesting();
    void refusesLongExpressions();
    void endsWhatWouldTakeForEver_data();
    void endsWhatWouldTakeForEver();
    void answersWhereTryingIsNotNeeded();
    void longNamesAreNoObstacle();
    void bytesThatAreNotTextMatchNothing();
};

/// Each answer is that of Python 3.11: bool(re.match(pattern, subject)).
void TstPattern::matchesAsPythonsReMatchDoes_data()
{
    QTest::addColumn<QString>("pattern");
    QTest::addColumn<QString>("subject");
    QTest::addColumn<bool>("expected");
    QTest::newRow("from the beginning") << "dnn"
                                        << "dnn/hiddenlayer_0/kernel" << true;
    QTest::newRow("not from the middle") << "kernel"
                                         << "dnn/hiddenlayer_0/kernel" << false;
    QTest::newRow("nothing matches") << ""
                                     << "dnn" << true;
    QTest::newRow("alternatives") << "linear|.*bias"
                                  << "dnn/logits/bias" << true;
    QTest::newRow("negative look-ahead") << "(?!.*logits).*"
                                         << "dnn/logits/bias" << false;
    QTest::newRow("look-ahead") << "dnn(?=/logits)"
                                << "dnn/logits/bias" << true;
    QTest::newRow("look-behind") << ".*(?<=_0)/kernel"
                                 << "dnn/hiddenlayer_0/kernel" << true;
    QTest::newRow("named group") << "(?P<a>x+)(?P=a)$"
                                 << "xxxx" << true;
    QTest::newRow("lazy") << ".*?/bias$"
                          << "dnn/logits/bias" << true;
    QTest::newRow("Unicode letters") << "\\w+$"
                                     << "größe" << true;
    QTest::newRow("end before a line break") << "a$"
                                             << "a\n"
                                             << true;
    QTest::newRow("dot is no line break") << "a.b"
                                          << "a\nb" << false;
    QTest::newRow("case ignored") << "(?i)DNN"
                                  << "dnn" << true;
    QTest::newRow("class") << "[a-c_]+\\d{2,3}"
                           << "b_a12" << true;
}

void TstPattern::matchesAsPythonsReMatchDoes()
{
    QFETCH(QString, pattern);
    QFETCH(QString, subject);
    QFETCH(bool, expected);
    const Result<Pattern> compiled = Pattern::compile(pattern.toStdString());
    QVERIFY(compiled);
    QCOMPARE(compiled->matchesStart(subject.toStdString()), Result<bool>(expected));
}

void TstPattern::searchFindsInTheMiddle()
{
    const Pattern pattern = Pattern::compile("lay").value();
    QCOMPARE(pattern.isFoundIn("dnn/hiddenlayer_0"), Result<bool>(true));
    QCOMPARE(pattern.isFoundIn("dnn/logits"), Result<bool>(false));
}

void TstPattern::saysWhatIsWrongAndWhere()
{
    QCOMPARE(sentenceOf("dnn/(hidden"),
             std::string("'dnn/(hidden' is not a regular expression: missing closing parenthesis "
                         "at byte 11."));
    QCOMPARE(sentenceOf("*x"), std::string("'*x' is not a regular expression: quantifier does not "
                                           "follow a repeatable item at byte 0."));
}

void TstPattern::refusesDeepNesting()
{
    const std::string open(5000, '(');
    QCOMPARE(sentenceOf(open),
             "'" + std::string(60, '(') +
                 "…' nests brackets more than 100 levels deep. Write a simpler expression.");
    QCOMPARE(sentenceOf(open + std::string(5000, ')')), sentenceOf(open));
    QVERIFY(matches(std::string(100, '(') + "a" + std::string(100, ')'), "a"));
}

void TstPattern::refusesLongExpressions()
{
    QVERIFY(matches(std::string(Pattern::kMostBytes, 'a'), std::string(Pattern::kMostBytes, 'a')));
    QCOMPARE(sentenceOf(std::string(Pattern::kMostBytes + 1, 'a')),
             std::string(
                 "The regular expression has 16385 bytes; at most 16384 are allowed. Shorten it."));
}

void TstPattern::endsWhatWouldTakeForEver_data()
{
    QTest::addColumn<QString>("pattern");
    QTest::newRow("nested repetition") << "(a+)+$";
    QTest::newRow("alternatives that overlap") << "(a|aa)+$";
    QTest::newRow("stars within stars") << "((a*)*)*!!";
    QTest::newRow("behind a look-ahead") << "(?=(a+)+!!)a";
}

void TstPattern::endsWhatWouldTakeForEver()
{
    QFETCH(QString, pattern);
    const Pattern compiled = Pattern::compile(pattern.toStdString()).value();
    const std::string name = std::string(40, 'a') + "!";
    const Result<bool> answer = compiled.matchesStart(name);
    QVERIFY(!answer);
    QCOMPARE(answer.error().sentence,
             "'" + pattern.toStdString() + "' takes too many attempts to compare with '" + name +
                 "': a repetition within a repetition, such as (.*)*, tries every way to divide "
                 "the text. Write a simpler expression.");
}

void TstPattern::answersWhereTryingIsNotNeeded()
{
    QCOMPARE(Pattern::compile("(.*)*(.*)*x")->matchesStart(std::string(40, 'a')),
             Result<bool>(false));
    QCOMPARE(Pattern::compile("(a?(?1)?)+b")->matchesStart(std::string(40, 'a')),
             Result<bool>(false));
}

void TstPattern::longNamesAreNoObstacle()
{
    const std::string name(100'000, 'n');
    QVERIFY(matches(".*", name));
    QVERIFY(matches("n+$", name));
    QVERIFY(matches("(n|m)*$", name));
    QCOMPARE(Pattern::compile("(?!n).*")->matchesStart(name), Result<bool>(false));
}

void TstPattern::bytesThatAreNotTextMatchNothing()
{
    QCOMPARE(Pattern::compile("a.c")->matchesStart(std::string("a\xFF") + "c"),
             Result<bool>(false));
    QVERIFY(matches("a", "a\xFF"));
    QCOMPARE(Pattern::compile("\xFF").error().id, std::string("pattern.syntax"));
}

CANNERY_TEST(TstPattern)
#include "tst_pattern.moc"
