// SPDX-License-Identifier: Apache-2.0
#include "core/heads/head_catalog.h"
#include "core/heads/supervised_head.h"
#include "storage/tf/graphs/graph_def_builder.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <google/protobuf/text_format.h>

#include <QStringList>

using namespace cannery;

class TstHeadSignatures : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void namesKeysAndTensorsAreTensorFlows_data();
    void namesKeysAndTensorsAreTensorFlows();
    void vocabularyTableIsFilledAtLoading();
    void evaluationHasEveryMetricOfTheHead_data();
    void evaluationHasEveryMetricOfTheHead();
    void sameHeadGivesTheSameBytes();
};

namespace {

std::unique_ptr<heads::Head> headOf(const char* text)
{
    spec::Head message;
    google::protobuf::TextFormat::ParseFromString(text, &message);
    auto head = heads::makeHead(message);
    return head ? std::move(*head) : nullptr;
}

std::vector<heads::Signature> emitInto(storage::GraphDefBuilder& graph, const heads::Head& head)
{
    const auto logits = graph.placeholder("logits", DType::Float32, {-1, head.logitsWidth()});
    return head.emit(graph, logits);
}

} // namespace

void TstHeadSignatures::namesKeysAndTensorsAreTensorFlows_data()
{
    QTest::addColumn<QString>("head");
    QTest::addColumn<QStringList>("expected");
    // As saved_model_cli shows the exports of TensorFlow 2.15: signature, method, then each output.
    const QString classes = " classes=head/Tile:0:string[?, %1]";
    const QString scores = " scores=head/predictions/probabilities:0:float32[?, %1]";
    QTest::newRow("binary")
        << "binary_class_head {}"
        << QStringList{"serving_default classify" + classes.arg(2) + scores.arg(2),
                       "classification classify" + classes.arg(2) + scores.arg(2),
                       "regression regress outputs=head/predictions/logistic:0:float32[?, 1]",
                       "predict predict all_class_ids=head/predictions/Tile:0:int32[?, 2]"
                       " all_classes=head/predictions/Tile_1:0:string[?, 2]"
                       " class_ids=head/predictions/ExpandDims:0:int64[?, 1]"
                       " classes=head/predictions/str_classes:0:string[?, 1]"
                       " logistic=head/predictions/logistic:0:float32[?, 1]"
                       " logits=logits:0:float32[?, 1]"
                       " probabilities=head/predictions/probabilities:0:float32[?, 2]"};
    QTest::newRow("multi-label")
        << "multi_label_head { n_classes: 3 label_vocabulary: ['a', 'b', 'c'] }"
        << QStringList{"serving_default classify" + classes.arg(3) + scores.arg(3),
                       "classification classify" + classes.arg(3) + scores.arg(3),
                       "predict predict classes=head/predictions/Tile:0:string[?, 3]"
                       " logits=logits:0:float32[?, 3]"
                       " probabilities=head/predictions/probabilities:0:float32[?, 3]"};
    QTest::newRow("regression") << "regression_head { label_dimension: 2 }"
                                << QStringList{
                                       "serving_default regress outputs=logits:0:float32[?, 2]",
                                       "regression regress outputs=logits:0:float32[?, 2]",
                                       "predict predict predictions=logits:0:float32[?, 2]"};
    const QString count = "head/predictions/Exp:0:float32[?, 1]";
    QTest::newRow("poisson") << "poisson_regression_head {}"
                             << QStringList{"serving_default regress outputs=" + count,
                                            "regression regress outputs=" + count,
                                            "predict predict logits=logits:0:float32[?, 1]"
                                            " predictions=" +
                                                count};
    const QString first = "a_b/split_logits/Slice:0:float32[?, 1]";
    const QString second = "a_b/split_logits/Slice_1:0:float32[?, 2]";
    QTest::newRow("multi-head") << "multi_head { heads { regression_head { name: 'a' } } "
                                   "heads { regression_head { name: 'b' label_dimension: 2 } } }"
                                << QStringList{"serving_default regress outputs=" + first,
                                               "a regress outputs=" + first,
                                               "a/regression regress outputs=" + first,
                                               "a/predict predict predictions=" + first,
                                               "b regress outputs=" + second,
                                               "b/regression regress outputs=" + second,
                                               "b/predict predict predictions=" + second,
                                               "predict predict a/predictions=" + first +
                                                   " b/predictions=" + second};
}

void TstHeadSignatures::namesKeysAndTensorsAreTensorFlows()
{
    QFETCH(QString, head);
    QFETCH(QStringList, expected);
    storage::GraphDefBuilder graph;
    QStringList actual;
    for (const heads::Signature& signature : emitInto(graph, *headOf(qPrintable(head)))) {
        const std::string method(heads::methodName(signature.kind));
        const std::string prefix = "tensorflow/serving/";
        QVERIFY(method.starts_with(prefix));
        std::string line = signature.name + " " + method.substr(prefix.size());
        for (const heads::SignatureOutput& output : signature.outputs) {
            QVERIFY(graph.hasNode(output.tensor.node));
            line += fmt::format(" {}={}:{}{}", output.key, output.tensor.tensor(),
                                name(output.dtype), output.shape.toString());
        }
        actual << QString::fromStdString(line);
    }
    QCOMPARE(actual, expected);
}

void TstHeadSignatures::vocabularyTableIsFilledAtLoading()
{
    storage::GraphDefBuilder graph;
    const auto head = headOf("multi_class_head { n_classes: 3 label_vocabulary: ['a', 'b', 'c'] }");
    emitInto(graph, *head);
    QCOMPARE(graph.tableInitializers().size(), std::size_t(1));
    QVERIFY(graph.hasNode("head/predictions/hash_table_Lookup/LookupTableFindV2"));
}

void TstHeadSignatures::evaluationHasEveryMetricOfTheHead_data()
{
    QTest::addColumn<QString>("head");
    QTest::newRow("binary") << "binary_class_head { thresholds: [0.25, 0.5] }";
    QTest::newRow("multi-class") << "multi_class_head { n_classes: 4 }";
    QTest::newRow("multi-label")
        << "multi_label_head { n_classes: 3 thresholds: 0.5 label_vocabulary: ['a b', 'c', 'd'] "
           "classes_for_class_based_metrics: ['a b', 'd'] }";
    QTest::newRow("regression") << "regression_head { label_dimension: 2 }";
    QTest::newRow("logistic regression") << "logistic_regression_head {}";
    QTest::newRow("several") << "multi_head { heads { binary_class_head { name: 'a' } } heads { "
                                "poisson_regression_head { name: 'b' } } head_weights: [1, 0.5] }";
}

/// As Head::createMetrics(), without the mean over batches, which TensorFlow adds itself.
void TstHeadSignatures::evaluationHasEveryMetricOfTheHead()
{
    QFETCH(QString, head);
    const std::unique_ptr<heads::Head> made = headOf(qPrintable(head));
    QVERIFY(made != nullptr);
    const auto* supervised = dynamic_cast<const heads::SupervisedHead*>(made.get());
    QVERIFY(supervised != nullptr);
    storage::GraphDefBuilder graph;
    const heads::SupervisedInputs inputs{
        .logits = graph.placeholder("logits", DType::Float32, {-1, made->logitsWidth()}),
        .labels = graph.placeholder("labels", DType::Float32, {-1, made->labelWidth()}),
        .weights = {}};
    const heads::SupervisedNodes nodes = supervised->emitSupervised(graph, inputs, true);
    QStringList emitted{"loss"};
    for (const heads::MetricNodes& metric : nodes.metrics) {
        QVERIFY(graph.hasNode(metric.value.node) && graph.hasNode(metric.update.node));
        emitted << QString::fromStdString(metric.name);
    }
    QStringList expected;
    for (const metrics::MetricValue& value : made->createMetrics()->results()) {
        expected << QString::fromStdString(value.name);
    }
    emitted.sort();
    expected.sort();
    QCOMPARE(emitted, expected);
    QVERIFY(graph.hasNode(nodes.loss.node) && graph.hasNode(nodes.logitsGrad.node));
    QVERIFY(supervised->emitSupervised(graph, inputs, false).metrics.empty());
}

void TstHeadSignatures::sameHeadGivesTheSameBytes()
{
    const auto head = headOf("binary_class_head { label_vocabulary: ['no', 'yes'] }");
    storage::GraphDefBuilder first;
    storage::GraphDefBuilder second;
    emitInto(first, *head);
    emitInto(second, *head);
    QVERIFY(first.serialized() == second.serialized());
}

CANNERY_TEST(TstHeadSignatures)
#include "tst_head_signatures.moc"
