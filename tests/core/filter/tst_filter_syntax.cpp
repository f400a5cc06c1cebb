// SPDX-License-Identifier: Apache-2.0
#include "core/filter/filter_syntax.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery;
using filter::Grammar;
using filter::Node;
using filter::SyntaxError;

namespace {

QString text(const filter::Token& token)
{
    const QString inside = QString::fromStdString(token.text);
    return token.kind == filter::Token::Kind::Word ? inside : '[' + inside + ']';
}

/// A tree on one line: all(a > 1, any(b missing, not(c in 1 2))).
QString written(const Node& node)
{
    QStringList parts;
    for (const Node& part : node.parts) {
        parts.append(written(part));
    }
    for (const filter::Token& value : node.values) {
        parts.append(text(value));
    }
    switch (node.kind) {
    case Node::Kind::All:
        return "all(" + parts.join(", ") + ')';
    case Node::Kind::Any:
        return "any(" + parts.join(", ") + ')';
    case Node::Kind::Not:
        return "not(" + parts.join(", ") + ')';
    case Node::Kind::Compare:
        return text(node.name) + ' ' +
               QStringList{"=", "!=", "<", "<=", ">", ">="}[int(node.sign)] + ' ' + parts.join(' ');
    case Node::Kind::Contains:
        return text(node.name) + " contains " + parts.join(' ');
    case Node::Kind::OneOf:
        return text(node.name) + " in " + parts.join(' ');
    case Node::Kind::Missing:
        return text(node.name) + " missing";
    case Node::Kind::Prefixed:
        return text(node.name) + ": " + parts.join(' ');
    case Node::Kind::Search:
        return '/' + text(node.name) + '/';
    }
    return {};
}

} // namespace

/// The language of filters: trees, errors and their places.
class TstFilterSyntax : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void parsesInBothGrammars_data();
    void parsesInBothGrammars();
    void searchesForWords_data();
    void searchesForWords();
    void reportsTheFirstMistake_data();
    void reportsTheFirstMistake();
    void boundsNesting();
    void comparesBySign();
};

void TstFilterSyntax::parsesInBothGrammars_data()
{
    QTest::addColumn<QString>("tree");
    const auto row = [](const char* filter, const char* tree) {
        QTest::newRow(filter) << QString::fromUtf8(tree);
    };
    row("a > 1", "a > 1");
    row("a==1", "a = 1");
    row("a <> 'b c'", "a != [b c]");
    row("a = 1 or b = 2 and c = 3", "any(a = 1, all(b = 2, c = 3))");
    row("(a = 1 or b = 2) and NOT c <= 3", "all(any(a = 1, b = 2), not(c <= 3))");
    row("`home town` ~ x", "[home town] contains x");
    row("\"say \"\"hi\"\"\" contains 'it''s'", "[say \"hi\"] contains [it's]");
    row("a IN (1,\"2, 3\" , x)", "a in 1 [2, 3] x");
    row("a is missing", "a missing");
    row("a is not missing", "not(a missing)");
    row("hidden = 64,32", "hidden = 64,32");
    row("time = 12:30", "time = 12:30");
    row("a:b > 1", "a:b > 1");
    row("state = or", "state = or");
    row("älter >= 1", "älter >= 1");
}

void TstFilterSyntax::parsesInBothGrammars()
{
    QFETCH(QString, tree);
    for (const Grammar grammar : {Grammar::Comparisons, Grammar::Search}) {
        const auto parsed = filter::parse(QTest::currentDataTag(), grammar);
        QVERIFY(parsed.has_value());
        QVERIFY(parsed->has_value());
        QCOMPARE(written(**parsed), tree);
    }
}

void TstFilterSyntax::searchesForWords_data()
{
    QTest::addColumn<QString>("tree");
    const auto row = [](const char* filter, const char* tree) {
        QTest::newRow(filter) << QString::fromUtf8(tree);
    };
    row("wide", "/wide/");
    row("wide tag:best auc > 0.9", "all(/wide/, tag: best, auc > 0.9)");
    row("\"two words\" or x", "any(/[two words]/, /x/)");
    row("tag:\"two words\" y", "all(tag: [two words], /y/)");
    row("tag: x", "tag: x");
    row("tag:a:b", "tag: a:b");
    row("what is in here", "all(/what/, /is/, /in/, /here/)");
    row("it contains", "all(/it/, /contains/)");
    row("not (a or b) c", "all(not(any(/a/, /b/)), /c/)");
    row("auc is missing x", "all(auc missing, /x/)");
    row("lr in (0.1, 0.2) x", "all(lr in 0.1 0.2, /x/)");
}

void TstFilterSyntax::searchesForWords()
{
    QFETCH(QString, tree);
    const auto parsed = filter::parse(QTest::currentDataTag(), Grammar::Search);
    QVERIFY(parsed.has_value());
    QVERIFY(parsed->has_value());
    QCOMPARE(written(**parsed), tree);
}

void TstFilterSyntax::reportsTheFirstMistake_data()
{
    using Kind = SyntaxError::Kind;
    QTest::addColumn<Kind>("kind");
    QTest::addColumn<int>("position");
    QTest::addColumn<int>("length");
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("complete");
    const auto row = [](const char* filter, Kind kind, int position, int length, const char* name,
                        int complete) {
        QTest::newRow(filter) << kind << position << length << QString(name) << complete;
    };
    row("a > 1 and 'b", Kind::UnclosedQuotation, 10, 2, "", 1);
    row("é = `b", Kind::UnclosedQuotation, 4, 2, "é", 0);
    row("> 3", Kind::NoName, 0, 1, "", 0);
    row("a > 1 and", Kind::NoName, 9, 0, "", 1);
    row("a", Kind::NoComparison, 1, 0, "a", 0);
    row("a b", Kind::NoComparison, 2, 1, "a", 0);
    row("a => 1", Kind::UnknownSign, 2, 2, "a", 0);
    row("a >", Kind::NoValue, 3, 0, "a", 0);
    row("a in (1,)", Kind::NoValue, 8, 1, "a", 0);
    row("a is not empty", Kind::NotMissing, 9, 5, "a", 0);
    row("a in 3", Kind::NoList, 5, 1, "a", 0);
    row("(a > 1", Kind::UnclosedBracket, 0, 1, "", 1);
    row("a in (1 2)", Kind::UnclosedBracket, 5, 1, "a", 0);
    row("a > 1)", Kind::Unexpected, 5, 1, "", 1);
    row("a > 1 b = 2", Kind::Unexpected, 6, 1, "", 1);
}

void TstFilterSyntax::reportsTheFirstMistake()
{
    QFETCH(SyntaxError::Kind, kind);
    const auto parsed = filter::parse(QTest::currentDataTag(), Grammar::Comparisons);
    QVERIFY(!parsed.has_value());
    const SyntaxError& wrong = parsed.error();
    QVERIFY(wrong.kind == kind);
    QTEST(int(wrong.at.position), "position");
    QTEST(int(wrong.at.length), "length");
    QTEST(QString::fromStdString(wrong.name.text), "name");
    QTEST(int(wrong.complete.size()), "complete");
}

void TstFilterSyntax::boundsNesting()
{
    for (const Grammar grammar : {Grammar::Comparisons, Grammar::Search}) {
        const std::string end = "a = 1";
        std::string nots;
        for (int i = 0; i < filter::kDeepest - 1; ++i) {
            nots += "not ";
        }
        QVERIFY(filter::parse(nots + end, grammar).has_value());
        const auto deeper = filter::parse("not " + nots + end, grammar);
        QVERIFY(!deeper.has_value());
        QVERIFY(deeper.error().kind == SyntaxError::Kind::TooDeep);
        QVERIFY(!filter::parse(std::string(200'000, '('), grammar).has_value());
        QVERIFY(filter::parse(" \t\n", grammar).has_value());
        QVERIFY(!filter::parse(" \t\n", grammar)->has_value());
    }
}

void TstFilterSyntax::comparesBySign()
{
    using filter::Sign;
    QVERIFY(filter::holds(Sign::Equal, 1, 1) && !filter::holds(Sign::Equal, 1, 2));
    QVERIFY(filter::holds(Sign::NotEqual, 1, 2) && !filter::holds(Sign::NotEqual, 2, 2));
    QVERIFY(filter::holds(Sign::Less, 1, 2) && !filter::holds(Sign::Less, 2, 2));
    QVERIFY(filter::holds(Sign::LessOrEqual, 2, 2) && !filter::holds(Sign::LessOrEqual, 3, 2));
    QVERIFY(filter::holds(Sign::Greater, 3, 2) && !filter::holds(Sign::Greater, 2, 2));
    QVERIFY(filter::holds(Sign::GreaterOrEqual, 2, 2) &&
            !filter::holds(Sign::GreaterOrEqual, 1, 2));
}

CANNERY_TEST(TstFilterSyntax)
#include "tst_filter_syntax.moc"
