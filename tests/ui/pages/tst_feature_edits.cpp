// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "ui/document/experiment_reading.h"
#include "ui/editing/experiment_facts.h"
#include "ui/editing/feature_edits.h"
#include "ui/editing/feature_offers.h"
#include "ui/editing/normalizer_facts.h"
#include "ui/models/hash_collisions.h"
#include "ui/models/tables/column_facts.h"
#include "ui/pages/features/feature_suggestions.h"

#include <QFile>
#include <QTest>

#include <algorithm>

using namespace cannery::ui;

namespace {

QByteArray titanicText()
{
    QFile file(QStringLiteral(CANNERY_SOURCE_DIR "/resources/examples/titanic/titanic.cannery"));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// An experiment without data, of these feature columns and this estimator.
QByteArray smallText(const QByteArray& columns, const QByteArray& estimator)
{
    return "name: \"small\"\n" + columns + "estimator { " + estimator + " }\n";
}

/// What becomes of a text; a text that cannot be made fails the test.
struct Edited
{
    QByteArray text;
    ExperimentReadingPtr before;
    ExperimentReadingPtr after;

    Edited(const QByteArray& original,
           const std::function<QList<FieldEdit>(const FieldNode&)>& edits)
        : before(readExperiment(original, {}))
    {
        QString error;
        const auto change = editChange(original, edits(before->root), error);
        if (!change) {
            qFatal("%s", qPrintable(error));
        }
        text = change->applied(original);
        after = readExperiment(text, {});
    }

    QStringList columns() const
    {
        QStringList names;
        for (const FeatureFacts& column : ExperimentFacts::of(after->root).features) {
            names.append(column.name);
        }
        return names;
    }
    FeatureFacts column(const QString& name) const
    {
        for (const FeatureFacts& column : ExperimentFacts::of(after->root).features) {
            if (column.name == name) {
                return column;
            }
        }
        return {};
    }
    /// The sentences of errors that the original has not.
    QStringList errors() const
    {
        QStringList sentences;
        for (const ProblemRow& problem : after->problems) {
            if (problem.level == ProblemRow::Level::Error) {
                sentences.append(problem.sentence);
            }
        }
        return sentences;
    }
};

ColumnFacts texts(const QString& name, const QStringList& words)
{
    ColumnFacts column{.name = name, .type = "category", .use = "feature"};
    column.distinct = words.size();
    column.binLabels = words;
    column.binCounts = QList<double>(words.size(), 1);
    return column;
}

ColumnFacts wholeNumbers(const QString& name, double from)
{
    ColumnFacts column{.name = name, .type = "number", .use = "feature"};
    column.minimum = from;
    column.maximum = from + 100;
    column.mean = from + 50;
    column.deviation = 10;
    column.distinct = 101;
    for (int i = 0; i <= 100; ++i) {
        column.quantiles.append(from + i);
    }
    column.bins = {50, 50};
    column.binsBegin = from;
    column.binsEnd = from + 100;
    return column;
}

DataFacts passengers()
{
    DataFacts facts;
    facts.columns = {texts("sex", {"male", "female"}), wholeNumbers("age", 0),
                     wholeNumbers("debt", -50), texts("ticket", {"a", "b"})};
    facts.columns.last().distinct = 5000;
    facts.columns[2].missing = 3;
    facts.columns[2].median = 12.5;
    return facts;
}

const FeatureOffer* offerOf(const QList<FeatureOffer>& offers, const QString& kind)
{
    const auto found = std::find_if(offers.begin(), offers.end(),
                                    [&](const FeatureOffer& offer) { return offer.kind == kind; });
    return found == offers.end() ? nullptr : &*found;
}

} // namespace

class TstFeatureEdits : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void listsOfTheEstimatorComeFromTheSchema();
    void aNewNameIsWrittenWhereverTheOldOneStood();
    void aColumnGoesWithWhatIsMadeOfItAlone();
    void aCrossOfThreeLosesOneInput();
    void aCopyFollowsItsOriginal();
    void columnsMoveInTheFile();
    void sidesAreSwitched();
    void sensibleKindsDependOnTheColumn();
    void everyKindThatIsOfferedIsValid();
    void kindsThatDoNotFitSayWhy();
    void aColumnThatWasChosenLastIsWhatAKindIsMadeOf();
    void crossesAreSizedByTheirCombinations();
    void boundariesAreInTheUnitOfTheNormalizer();
    void suggestionsAreWhatIsMissing();
};

void TstFeatureEdits::listsOfTheEstimatorComeFromTheSchema()
{
    const auto titanic = readExperiment(titanicText(), {});
    const QList<ColumnList> lists = columnLists(titanic->root);
    QCOMPARE(lists.size(), 2);
    QCOMPARE(lists[0].path,
             QString("estimator.dnn_linear_combined_classifier.linear_feature_columns"));
    QVERIFY(!lists[0].isDense && lists[1].isDense);
    QCOMPARE(lists[1].names.size(), 8);
    const auto small = readExperiment(smallText({}, "dnn_classifier { hidden_units: 4 }"), {});
    QCOMPARE(columnLists(small->root).size(), 1);
    QVERIFY(columnLists(readExperiment("name: \"x\"\n", {})->root).isEmpty());
}

void TstFeatureEdits::aNewNameIsWrittenWhereverTheOldOneStood()
{
    const Edited edited(titanicText(), [](const FieldNode& root) {
        return renameColumnEdits(root, "sex", "gender");
    });
    QByteArray expected = titanicText();
    expected.replace("{ name: \"sex\" ", "{ name: \"gender\" ");
    expected.replace("linear_feature_columns: [\"sex\"", "linear_feature_columns: [\"gender\"");
    expected.replace("indicator_column { categorical_column: \"sex\" }",
                     "indicator_column { categorical_column: \"gender\" }");
    QCOMPARE(edited.text, expected);
    QCOMPARE(edited.errors(), QStringList());
}

void TstFeatureEdits::aColumnGoesWithWhatIsMadeOfItAlone()
{
    const auto titanic = readExperiment(titanicText(), {});
    QCOMPARE(removedWith(titanic->root, {"age"}), QStringList({"age", "age_buckets", "sex_x_age"}));
    QCOMPARE(removedWith(titanic->root, {"fare_scaled"}), QStringList({"fare_scaled"}));
    const Edited edited(titanicText(),
                        [](const FieldNode& root) { return removeColumnEdits(root, {"age"}); });
    QVERIFY(!edited.text.contains("age_buckets"));
    QVERIFY(!edited.text.contains("sex_x_age"));
    QVERIFY(edited.text.contains("age_scaled"));
    QCOMPARE(edited.errors(), QStringList());
    const Edited last(smallText("feature_column { name: \"x\" numeric_column { key: \"x\" } }\n",
                                "linear_regressor { feature_columns: [\"x\"] }"),
                      [](const FieldNode& root) { return removeColumnEdits(root, {"x"}); });
    QVERIFY2(!last.text.contains("\"x\""), last.text.constData());
}

void TstFeatureEdits::aCrossOfThreeLosesOneInput()
{
    const QByteArray text = smallText(
        "feature_column { name: \"s\" categorical_column_with_vocabulary_list { key: \"s\" "
        "vocabulary_list: [\"a\"] } }\n"
        "feature_column { name: \"c\" crossed_column { key { column: \"s\" } key { feature: "
        "\"t\" } key { feature: \"u\" } hash_bucket_size: 10 } }\n",
        "linear_classifier { feature_columns: [\"s\", \"c\"] }");
    const Edited edited(text, [](const FieldNode& root) { return removeColumnEdits(root, {"s"}); });
    QCOMPARE(edited.columns(), QStringList({"c"}));
    QCOMPARE(edited.column("c").sources, QStringList({"t", "u"}));
    QVERIFY(edited.text.contains("feature_columns: [\"c\"]"));
}

void TstFeatureEdits::aCopyFollowsItsOriginal()
{
    const Edited edited(titanicText(), [](const FieldNode& root) {
        return duplicateColumnEdits(root, "deck_embedding",
                                    writtenAt(titanicText(), "feature_column[deck_embedding]"),
                                    "deck_two");
    });
    const QStringList names = edited.columns();
    QCOMPARE(names.indexOf("deck_two"), names.indexOf("deck_embedding") + 1);
    QCOMPARE(edited.column("deck_two").width, 4);
    QCOMPARE(edited.column("deck_two").side, FeatureSide::Unused);
    const Edited end(titanicText(), [](const FieldNode& root) {
        return duplicateColumnEdits(root, "town_embedding",
                                    writtenAt(titanicText(), "feature_column[town_embedding]"),
                                    "town_two");
    });
    QCOMPARE(end.columns().last(), QString("town_two"));
    QCOMPARE(end.errors(), QStringList());
}

void TstFeatureEdits::columnsMoveInTheFile()
{
    const Edited edited(titanicText(), [](const FieldNode& root) {
        return moveColumnEdits(root, "age_scaled", 0);
    });
    QVERIFY(edited.text.indexOf("name: \"age_scaled\"") < edited.text.indexOf("name: \"age\""));
    QCOMPARE(edited.errors(), QStringList());
    const auto titanic = readExperiment(titanicText(), {});
    QVERIFY(moveColumnEdits(titanic->root, "age", 0).isEmpty());
    QVERIFY(moveColumnEdits(titanic->root, "age", 99).isEmpty());
    QVERIFY(moveColumnEdits(titanic->root, "nothing", 0).isEmpty());
}

void TstFeatureEdits::sidesAreSwitched()
{
    const Edited both(titanicText(), [](const FieldNode& root) {
        return useColumnEdits(root, "age_scaled", true, true);
    });
    QCOMPARE(both.column("age_scaled").side, FeatureSide::Both);
    const Edited wide(both.text, [](const FieldNode& root) {
        return useColumnEdits(root, "age_scaled", true, false);
    });
    QCOMPARE(wide.column("age_scaled").side, FeatureSide::Wide);
    const Edited none(wide.text, [](const FieldNode& root) {
        return useColumnEdits(root, "age_scaled", false, false);
    });
    QCOMPARE(none.column("age_scaled").side, FeatureSide::Unused);
    const Edited back(none.text, [](const FieldNode& root) {
        return useColumnEdits(root, "age_scaled", false, true);
    });
    QCOMPARE(back.column("age_scaled").side, FeatureSide::Deep);
    QCOMPARE(back.errors(), QStringList());
    QVERIFY(useColumnEdits(back.after->root, "age_scaled", false, true).isEmpty());
}

void TstFeatureEdits::sensibleKindsDependOnTheColumn()
{
    const DataFacts data = passengers();
    const QByteArray text =
        smallText({}, "dnn_linear_combined_classifier { dnn_hidden_units: [4] }");
    const auto added = [&](const QString& raw) {
        return Edited(text, [&](const FieldNode& root) {
            return addColumnEdits(
                root, sensibleColumns({.root = &root, .data = &data, .rawColumn = raw}));
        });
    };
    const Edited age = added("age");
    QCOMPARE(age.column("age").kind, QString("numeric_column"));
    QCOMPARE(age.column("age").side, FeatureSide::Deep);
    QVERIFY(age.text.contains("z_score"));
    QVERIFY(!age.text.contains("default_value"));
    QVERIFY(added("debt").text.contains("key: \"debt\" default_value: 12.5 normalizer"));
    const Edited sex = added("sex");
    QCOMPARE(sex.columns(), QStringList({"sex", "sex_indicator"}));
    QCOMPARE(sex.column("sex").side, FeatureSide::Wide);
    QCOMPARE(sex.column("sex").width, 2);
    QCOMPARE(sex.column("sex_indicator").side, FeatureSide::Deep);
    const Edited ticket = added("ticket");
    QCOMPARE(ticket.columns(), QStringList({"ticket", "ticket_embedding"}));
    QCOMPARE(ticket.column("ticket").width, suggestedBuckets(5000));
    QCOMPARE(ticket.column("ticket_embedding").width, embeddingSize(5000));
    // A linear model alone needs no dense form, and a name is never taken twice.
    const Edited twice(sex.text, [&](const FieldNode& root) {
        return addColumnEdits(root,
                              sensibleColumns({.root = &root, .data = &data, .rawColumn = "sex"}));
    });
    QVERIFY(twice.columns().contains("sex_2"));
    const Edited alone(smallText({}, "linear_classifier {}"), [&](const FieldNode& root) {
        return addColumnEdits(root,
                              sensibleColumns({.root = &root, .data = &data, .rawColumn = "sex"}));
    });
    QCOMPARE(alone.columns(), QStringList({"sex"}));
    QCOMPARE(alone.column("sex").side, FeatureSide::Wide);
}

void TstFeatureEdits::everyKindThatIsOfferedIsValid()
{
    const DataFacts data = passengers();
    const auto titanic = readExperiment(titanicText(), {});
    int offered = 0;
    for (const char* raw : {"sex", "age", "debt", "ticket"}) {
        for (const char* feature : {"sex", "age", "age_buckets"}) {
            const OfferSource source{
                .root = &titanic->root, .data = &data, .rawColumn = raw, .featureColumn = feature};
            for (const FeatureOffer& offer : featureOffers(source)) {
                QVERIFY(!offer.label.isEmpty() && !offer.help.isEmpty());
                QCOMPARE(offer.hindrance.isEmpty(), !offer.columns.isEmpty());
                if (!offer.hindrance.isEmpty() || offer.kind.endsWith("_file")) {
                    continue;
                }
                ++offered;
                // Used by nobody: two columns of one derived name are an error of the model.
                QList<NewColumn> columns = offer.columns;
                columns.first().wide = columns.first().deep = false;
                const Edited edited(titanicText(), [&](const FieldNode& root) {
                    return addColumnEdits(root, columns);
                });
                QVERIFY2(edited.errors().isEmpty(), qPrintable(offer.columns.first().text + '\n' +
                                                               edited.errors().join('\n')));
            }
        }
    }
    QVERIFY2(offered > 40, qPrintable(QString::number(offered)));
}

void TstFeatureEdits::kindsThatDoNotFitSayWhy()
{
    const DataFacts data = passengers();
    const auto titanic = readExperiment(titanicText(), {});
    const auto why = [&](const QString& raw, const QString& feature, const QString& kind) {
        const QList<FeatureOffer> offers = featureOffers(
            {.root = &titanic->root, .data = &data, .rawColumn = raw, .featureColumn = feature});
        const FeatureOffer* offer = offerOf(offers, kind);
        return offer ? offer->hindrance : QStringLiteral("no such kind");
    };
    QCOMPARE(why("sex", {}, "numeric_column"), QString("sex is text, not a number."));
    QCOMPARE(why("age", {}, "numeric_column"), QString());
    QCOMPARE(why({}, {}, "numeric_column"), QString("Select a column of the table first."));
    QCOMPARE(why({}, "sex", "bucketized_column"),
             QString("Select a numeric feature column first."));
    QCOMPARE(why({}, "age", "bucketized_column"), QString());
    QCOMPARE(why({}, "age", "embedding_column"),
             QString("Select a categorical feature column first."));
    QCOMPARE(why("debt", {}, "categorical_column_with_identity"),
             QString("debt has negative numbers; ids begin at 0."));
    QCOMPARE(why("sex", {}, "categorical_column_with_identity"),
             QString("sex is text; ids are whole numbers."));
}

void TstFeatureEdits::aColumnThatWasChosenLastIsWhatAKindIsMadeOf()
{
    const DataFacts data = passengers();
    const auto titanic = readExperiment(titanicText(), {});
    const auto offered = [&](const QString& raw, const QString& kind) {
        const QList<FeatureOffer> offers = featureOffers({.root = &titanic->root,
                                                          .data = &data,
                                                          .rawColumn = raw,
                                                          .featureColumn = "age_scaled",
                                                          .isRawLast = true});
        const FeatureOffer* offer = offerOf(offers, kind);
        return offer ? *offer : FeatureOffer();
    };
    // The selected one if it is of that column; a number without a feature column gets one.
    const FeatureOffer ofAge = offered("age", "bucketized_column");
    QCOMPARE(ofAge.columns.size(), 1);
    QVERIFY(ofAge.columns.first().text.contains("source_column: \"age_scaled\""));
    const FeatureOffer ofDebt = offered("debt", "bucketized_column");
    QCOMPARE(ofDebt.columns.size(), 2);
    QVERIFY(!ofDebt.columns.first().wide && !ofDebt.columns.first().deep);
    QVERIFY2(ofDebt.columns.last().text.startsWith(
                 "{ name: \"debt_buckets\" bucketized_column { source_column: \"debt\" "
                 "boundaries: [-40, "),
             qPrintable(ofDebt.columns.last().text));
    const Edited edited(
        titanicText(), [&](const FieldNode& root) { return addColumnEdits(root, ofDebt.columns); });
    QCOMPARE(edited.errors(), QStringList());
    QCOMPARE(edited.column("debt").side, FeatureSide::Source);
    QCOMPARE(edited.column("debt_buckets").side, FeatureSide::Wide);
    QCOMPARE(offered("sex", "bucketized_column").hindrance, QString("sex is text, not a number."));
    QVERIFY(offered("sex", "embedding_column").columns.first().text.contains(": \"sex\""));
    QCOMPARE(offered("ticket", "embedding_column").hindrance,
             QString("ticket has no categorical feature column yet; add one first."));
}

void TstFeatureEdits::crossesAreSizedByTheirCombinations()
{
    const DataFacts data = passengers();
    const auto titanic = readExperiment(titanicText(), {});
    const OfferSource source{.root = &titanic->root, .data = &data};
    QVERIFY(crossable(source).contains("sex"));
    QVERIFY(crossable(source).contains("age_buckets"));
    QVERIFY(!crossable(source).contains("sex_x_class"));
    QVERIFY(!crossable(source).contains("age"));
    const auto cross = crossOf(source, {"sex", "age_buckets"});
    QVERIFY(cross);
    QCOMPARE(cross->name, QString("sex_x_age_buckets"));
    QVERIFY2(cross->text.contains("key { feature: \"sex\" } key { column: \"age_buckets\" } "
                                  "hash_bucket_size: " +
                                  QString::number(suggestedBuckets(14))),
             qPrintable(cross->text));
    QVERIFY(!crossOf(source, {"sex"}));
}

void TstFeatureEdits::boundariesAreInTheUnitOfTheNormalizer()
{
    const DataFacts data = passengers();
    const auto titanic = readExperiment(titanicText(), {});
    const OfferSource source{.root = &titanic->root, .data = &data};
    QCOMPARE(normalizedNumbers(source, "age").largest(), 100.0);
    const NumberDistribution scaled = normalizedNumbers(source, "age_scaled");
    QCOMPARE(scaled.smallest(), -5.0);
    QCOMPARE(scaled.largest(), 5.0);
    QVERIFY(normalizedNumbers(source, "sex").isEmpty());
    QVERIFY(normalizedNumbers(source, "fare_scaled").isEmpty());
}

void TstFeatureEdits::suggestionsAreWhatIsMissing()
{
    const QByteArray fresh =
        R"(feature_column { name: "sex" categorical_column_with_vocabulary_list {
  key: "sex" vocabulary_list: ["male", "female"] } }
feature_column { name: "deck" categorical_column_with_hash_bucket { key: "deck" hash_bucket_size: 50 } }
feature_column { name: "deck_embedding" embedding_column { categorical_column: "deck" dimension: 5 } }
feature_column { name: "fare" numeric_column { key: "fare" normalizer { z_score {} } } }
estimator { dnn_linear_combined_classifier {
  linear_feature_columns: ["sex", "deck"] dnn_feature_columns: ["deck_embedding", "fare"]
  dnn_hidden_units: 8 } }
)";
    const auto titanic = readExperiment(titanicText(), {});
    const QList<FeatureSuggestion> found = suggestionsFrom(fresh, titanic->root);
    // It has the vocabulary of sex, and fare as a number; its deck is not hashed.
    QCOMPARE(found.size(), 2);
    QCOMPARE(found[0].column.name, QString("deck_2"));
    QVERIFY(found[0].column.wide && !found[0].column.deep);
    QCOMPARE(found[1].column.name, QString("deck_embedding_2"));
    QVERIFY(found[1].column.text.contains("categorical_column: \"deck_2\""));
    QCOMPARE(found[1].needs, QStringList({"deck_2"}));
    QVERIFY(found[1].column.deep);
    const Edited edited(titanicText(), [&](const FieldNode& root) {
        return addColumnEdits(root, {found[0].column, found[1].column});
    });
    QCOMPARE(edited.column("deck_embedding_2").width, 5);
    QCOMPARE(edited.column("deck_2").side, FeatureSide::Wide);
    QVERIFY(suggestionsFrom(titanicText(), titanic->root).isEmpty());
    QVERIFY(suggestionsFrom("not an experiment", titanic->root).isEmpty());
}

CANNERY_TEST(TstFeatureEdits)
#include "tst_feature_edits.moc"
