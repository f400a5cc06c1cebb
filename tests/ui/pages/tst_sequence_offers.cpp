// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "ui/document/experiment_reading.h"
#include "ui/editing/feature_edits.h"
#include "ui/editing/feature_offers.h"
#include "ui/editing/offer_source.h"
#include "ui/editing/offer_writer.h"
#include "ui/models/tables/column_facts.h"

#include <QTest>

#include <algorithm>

using namespace cannery::ui;

namespace {

/// A table with a column of lists, which a feature cuts, and this estimator.
QByteArray visits(const QByteArray& estimator)
{
    return R"(name: "visits"
data { feature { name: "page" split { column: "pages" } } }
feature_column { name: "steps" sequence_categorical_column_with_hash_bucket { key: "page" hash_bucket_size: 9 } }
feature_column { name: "device" categorical_column_with_hash_bucket { key: "device" hash_bucket_size: 9 } }
feature_column { name: "age" numeric_column { key: "age" } }
estimator { )" +
           estimator + " }\n";
}

const QByteArray kRecurrent = "rnn_classifier { units: 4 sequence_feature_columns: \"other\" "
                              "context_feature_columns: \"age\" }";

DataFacts table()
{
    DataFacts facts;
    for (const char* name : {"pages", "device"}) {
        ColumnFacts column{.name = QString::fromLatin1(name), .type = "category", .use = "feature"};
        column.distinct = 2;
        column.binLabels = {"a|b", "b||c"};
        facts.columns.append(column);
    }
    return facts;
}

/// What is offered for a kind, given what is selected.
FeatureOffer offered(const QByteArray& text, const QString& kind, const QString& rawColumn,
                     const QString& featureColumn = {})
{
    const ExperimentReadingPtr reading = readExperiment(text, {});
    const DataFacts facts = table();
    OfferSource source;
    source.root = &reading->root;
    source.data = &facts;
    source.rawColumn = rawColumn;
    source.featureColumn = featureColumn;
    return offerOf(source, kind);
}

QByteArray edited(const QByteArray& text, const QList<FieldEdit>& edits)
{
    QString error;
    const auto change = editChange(text, edits, error);
    return change ? change->applied(text) : error.toUtf8();
}

const QString kVocabulary = QStringLiteral("sequence_categorical_column_with_vocabulary_list");

} // namespace

/// Sequences on the features page: which columns make them, and who reads them.
class TstSequenceOffers : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void offersAListToARecurrentNetwork();
    void saysWhySequencesAreNotOffered_data();
    void saysWhySequencesAreNotOffered();
    void embeddingsOfSequencesAreRead();
    void sequencesGoToTheirOwnList();
};

void TstSequenceOffers::offersAListToARecurrentNetwork()
{
    const FeatureOffer offer = offered(visits(kRecurrent), kVocabulary, "pages");
    QCOMPARE(offer.hindrance, QString());
    QCOMPARE(offer.columns.size(), 1);
    QCOMPARE(offer.columns.first().text,
             QStringLiteral("{ name: \"page\" %1 { key: \"page\" vocabulary_list: [\"a\", \"b\", "
                            "\"c\"] } }")
                 .arg(kVocabulary));
}

void TstSequenceOffers::saysWhySequencesAreNotOffered_data()
{
    QTest::addColumn<QByteArray>("estimator");
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("rawColumn");
    QTest::addColumn<QString>("why");
    QTest::newRow("nobody reads it")
        << QByteArray("linear_classifier { feature_columns: \"age\" }") << kVocabulary << "pages"
        << "Only recurrent networks read sequences.";
    QTest::newRow("no list") << kRecurrent << kVocabulary << "device"
                             << "device has one value per row; split its cells into a list first.";
    QTest::newRow("texts") << kRecurrent << "sequence_numeric_column"
                           << "pages"
                           << "page is a list of texts, not of numbers.";
}

void TstSequenceOffers::saysWhySequencesAreNotOffered()
{
    QFETCH(QByteArray, estimator);
    QFETCH(QString, kind);
    QFETCH(QString, rawColumn);
    QFETCH(QString, why);
    QCOMPARE(offered(visits(estimator), kind, rawColumn).hindrance, why);
}

void TstSequenceOffers::embeddingsOfSequencesAreRead()
{
    const QByteArray text = visits(kRecurrent);
    const FeatureOffer offer = offered(text, "embedding_column", {}, "steps");
    QCOMPARE(offer.hindrance, QString());
    const ExperimentReadingPtr reading = readExperiment(text, {});
    const QByteArray after = edited(text, addColumnEdits(reading->root, offer.columns));
    QVERIFY2(after.contains("sequence_feature_columns: [\"other\", \"steps_embedding\"]"), after);
    QVERIFY2(after.contains("context_feature_columns: \"age\""), after);
}

void TstSequenceOffers::sequencesGoToTheirOwnList()
{
    const QByteArray text = visits(kRecurrent);
    const ExperimentReadingPtr reading = readExperiment(text, {});
    const QByteArray removed = edited(text, useColumnEdits(reading->root, "age", false, false));
    const ExperimentReadingPtr without = readExperiment(removed, {});
    const QByteArray again = edited(removed, useColumnEdits(without->root, "age", false, true));
    QVERIFY2(again.contains("context_feature_columns: [\"age\"]"), again);
    QVERIFY2(again.contains("sequence_feature_columns: \"other\""), again);
}

CANNERY_TEST(TstSequenceOffers)
#include "tst_sequence_offers.moc"
