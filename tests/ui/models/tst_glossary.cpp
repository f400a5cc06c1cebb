// SPDX-License-Identifier: GPL-3.0-only
#include "core/metrics/metric_catalog.h"
#include "tests/support/test_main.h"
#include "ui/models/glossary.h"

#include <QTest>

#include <algorithm>
#include <string_view>

using namespace cannery;
using namespace cannery::ui;

/// The words that the window explains.
class TstGlossary : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyMetricIsExplainedAndJudged_data();
    void everyMetricIsExplainedAndJudged();
    void aMetricIsFoundWhereverItStands_data();
    void aMetricIsFoundWhereverItStands();
    void everyWordOfABeginnerIsExplained();
    void everyEntryIsASentence();
    void aFieldLeadsToItsWord();
};

/// All that the catalogs have, and what heads report besides.
void TstGlossary::everyMetricIsExplainedAndJudged_data()
{
    QTest::addColumn<QString>("metric");
    const auto add = [](std::string_view name) {
        QTest::addRow("%.*s", int(name.size()), name.data())
            << QString::fromUtf8(name.data(), qsizetype(name.size()));
    };
    for (const metrics::MetricRow& row : metrics::metricCatalog()) {
        add(row.name);
    }
    for (const metrics::ChosenMetricRow& row : metrics::chosenMetricCatalog()) {
        add(row.name);
    }
    for (const char* name : {"loss", "average_loss"}) {
        add(name);
    }
}

void TstGlossary::everyMetricIsExplainedAndJudged()
{
    QFETCH(QString, metric);
    const GlossaryEntry* entry = glossaryOfMetric(metric);
    QVERIFY2(entry != nullptr, qPrintable(metric));
    QVERIFY2(entry->metrics.contains(metric), qPrintable(entry->term));
    QVERIFY2(!entry->meaning.isEmpty() && !entry->judging.isEmpty(), qPrintable(entry->term));
}

void TstGlossary::aMetricIsFoundWhereverItStands_data()
{
    QTest::addColumn<QString>("metric");
    QTest::addColumn<QString>("term");
    QTest::newRow("another evaluation") << "eval_test/auc"
                                        << "AUC";
    QTest::newRow("ours in another evaluation") << "eval_test/cannery/rmse"
                                                << "RMSE";
    QTest::newRow("of a head") << "precision/busy"
                               << "Precision";
    QTest::newRow("loss of a head") << "loss/busy"
                                    << "Loss";
    QTest::newRow("of a class") << "per_class/yes/recall"
                                << "Recall";
    QTest::newRow("of a slice") << "slice/sex=female/auc"
                                << "AUC";
    QTest::newRow("at a threshold") << "recall/positive_threshold_0.500000"
                                    << "Recall";
    QTest::newRow("unknown") << "my_own_metric" << QString();
}

void TstGlossary::aMetricIsFoundWhereverItStands()
{
    QFETCH(QString, metric);
    QFETCH(QString, term);
    const GlossaryEntry* entry = glossaryOfMetric(metric);
    QCOMPARE(entry == nullptr ? QString() : entry->term, term);
}

void TstGlossary::everyWordOfABeginnerIsExplained()
{
    for (const char* word : {"AUC",           "Accuracy",  "Baseline",    "Loss",
                             "RMSE",          "R²",        "Log loss",    "Precision",
                             "Recall",        "Epoch",     "Step",        "Batch",
                             "Learning rate", "Bucket",    "Embedding",   "Crossed column",
                             "Vocabulary",    "Hashing",   "Overfitting", "Early stopping",
                             "Checkpoint",    "SavedModel"}) {
        const bool isThere =
            std::any_of(glossary().begin(), glossary().end(), [&](const GlossaryEntry& entry) {
                return entry.term == QString::fromUtf8(word);
            });
        QVERIFY2(isThere, word);
    }
}

void TstGlossary::everyEntryIsASentence()
{
    QStringList terms;
    for (const GlossaryEntry& entry : glossary()) {
        QVERIFY2(!terms.contains(entry.term), qPrintable(entry.term));
        terms << entry.term;
        for (const QString& text : {entry.meaning, entry.judging}) {
            QVERIFY2(text.isEmpty() || text.endsWith(u'.') || text.endsWith(u'?'),
                     qPrintable(entry.term));
        }
    }
}

void TstGlossary::aFieldLeadsToItsWord()
{
    QCOMPARE(glossaryOfField("train_spec.input.batch_size")->term, "Batch");
    QCOMPARE(glossaryOfField("estimator.dnn_classifier.optimizer.adagrad.learning_rate")->term,
             "Learning rate");
    QCOMPARE(glossaryOfField("feature_column[2].crossed_column.key[0].feature")->term,
             "Crossed column");
    QVERIFY(glossaryOfField("name") == nullptr);
}

CANNERY_TEST(TstGlossary)
#include "tst_glossary.moc"
