// SPDX-License-Identifier: Apache-2.0
#include "core/heads/head_catalog.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/test_main.h"

#include <google/protobuf/text_format.h>

#include <QTest>

using namespace cannery;
using namespace cannery::tests;

class TstHeadMemory : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void warmBatchesDoNotAllocate();
};

void TstHeadMemory::warmBatchesDoNotAllocate()
{
    if (!allocationsAreCounted()) {
        QSKIP("the sanitizer of this build has the allocator to itself");
    }
    spec::Head message;
    google::protobuf::TextFormat::ParseFromString(R"(multi_head {
        heads { binary_class_head { name: "a" thresholds: 0.3 weight_column { feature: "w" } } }
        heads { multi_class_head { name: "b" n_classes: 3 } }
        heads { multi_label_head { name: "c" n_classes: 2 classes_for_class_based_metrics: "1" } }
        heads { poisson_regression_head { name: "d" label_dimension: 2 } }
        heads { loss_head { name: "e" loss { sparse_categorical_crossentropy { ignore_class: 0 } } n_classes: 3 } }
        heads { loss_head { name: "f" loss { binary_crossentropy { from_logits: true } } n_classes: 2 } }
        head_weights: [1, 2, 3, 4, 5, 6] })",
                                                  &message);
    const auto head = heads::makeHead(message);
    QVERIFY(head.has_value());
    constexpr std::int64_t kRows = 40;
    const std::int64_t logitsWidth = (*head)->logitsWidth();
    const std::int64_t labelWidth = (*head)->labelWidth();
    const std::vector<float> logits(static_cast<std::size_t>(kRows * logitsWidth), 0.5F);
    const std::vector<float> labels(static_cast<std::size_t>(kRows * labelWidth), 1.0F);
    const std::vector<float> weights(static_cast<std::size_t>(kRows), 2.0F);
    std::vector<float> grad(logits.size());
    const heads::HeadBatch batch{
        .logits = kernels::matrixView(std::span(logits), kRows, logitsWidth),
        .labels = kernels::matrixView(std::span(labels), kRows, labelWidth),
        .weights = kernels::matrixView(std::span(weights), kRows, 1)};
    kernels::ThreadPool pool(2);
    const auto metrics = (*head)->createMetrics();
    std::int64_t before = 0;
    for (int time = 0; time < 3; ++time) {
        before = time == 1 ? allocationCount() : before;
        (*head)->loss(pool, batch, kernels::matrixView(std::span(grad), kRows, logitsWidth));
        (*head)->evaluate(pool, batch, *metrics);
    }
    QCOMPARE(allocationCount(), before);
}

CANNERY_TEST(TstHeadMemory)
#include "tst_head_memory.moc"
