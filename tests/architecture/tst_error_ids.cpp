// SPDX-License-Identifier: Apache-2.0
#include "tests/architecture/engine_sources.h"
#include "tests/support/test_main.h"

#include <QMap>
#include <QRegularExpression>
#include <QTest>

using cannery::tests::engineSources;
using cannery::tests::SourceText;

/// Every error sentence is defined once and has a stable id of its own, so that an id leads to one
/// sentence, and a sentence is changed in one place.
class TstErrorIds : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aSentenceIsDefinedOnce();
    void anIdHasOneSentence();
    void idsNameTheirRoomAndTheirError();

private:
    struct Definition
    {
        QString id;
        QString sentence;
        QString place;
    };

    static QList<Definition> definitions();
};

namespace {

/// The text of "one" "two", as concatenated by the compiler.
QString joined(const QString& literals)
{
    static const QRegularExpression kLiteral(R"re("((?:[^"\\]|\\.)*)")re");
    QString text;
    auto found = kLiteral.globalMatch(literals);
    while (found.hasNext()) {
        text += found.next().captured(1);
    }
    return text;
}

} // namespace

QList<TstErrorIds::Definition> TstErrorIds::definitions()
{
    static const QRegularExpression kDefinition(
        R"re((?:ErrorKind\s+k\w+|\.unknownAction|\.usage)\s*=?\s*\{\s*((?:"(?:[^"\\]|\\.)*"\s*)+),)re"
        R"re(\s*((?:"(?:[^"\\]|\\.)*"\s*)+)\})re");
    QList<Definition> result;
    for (const SourceText& source : engineSources()) {
        auto found = kDefinition.globalMatch(source.text);
        while (found.hasNext()) {
            const QRegularExpressionMatch match = found.next();
            result.append({joined(match.captured(1)), joined(match.captured(2)), source.path});
        }
    }
    return result;
}

void TstErrorIds::aSentenceIsDefinedOnce()
{
    QMap<QString, QStringList> places;
    for (const Definition& definition : definitions()) {
        if (definition.sentence == "{0}") {
            continue; // a forwarded sentence
        }
        places[definition.sentence].append(definition.id + " in " + definition.place);
    }
    QVERIFY(places.size() > 300);
    QStringList doubles;
    for (const QStringList& same : std::as_const(places)) {
        if (same.size() > 1) {
            doubles.append(same.join(", "));
        }
    }
    QCOMPARE(doubles, QStringList());
}

void TstErrorIds::anIdHasOneSentence()
{
    QMap<QString, QStringList> sentences;
    for (const Definition& definition : definitions()) {
        QStringList& known = sentences[definition.id];
        if (!known.contains(definition.sentence)) {
            known.append(definition.sentence);
        }
    }
    QVERIFY(sentences.contains("command.usage.unknown_queue_action"));
    QStringList shared;
    for (auto it = sentences.cbegin(); it != sentences.cend(); ++it) {
        if (it->size() > 1) {
            shared.append(it.key() + ": " + it->join(" | "));
        }
    }
    QCOMPARE(shared, QStringList());
}

void TstErrorIds::idsNameTheirRoomAndTheirError()
{
    static const QRegularExpression kId("^[a-z0-9_]+(\\.[a-z0-9_]+)+$");
    QStringList wrong;
    for (const Definition& definition : definitions()) {
        if (!kId.match(definition.id).hasMatch()) {
            wrong.append(definition.id + " in " + definition.place);
        }
    }
    QCOMPARE(wrong, QStringList());
}

CANNERY_TEST(TstErrorIds)
#include "tst_error_ids.moc"
