// SPDX-License-Identifier: Apache-2.0
#include "core/graph/initializers.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

using namespace cannery;

class TstInitializers : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void countsFansAsKerasDoes();
    void refusesAConstantOfAnotherSize();
    void refusesAnEmptyRange();
    void refusesANegativeDeviation();
    void refusesAnEmptyInitializer();
};

void TstInitializers::countsFansAsKerasDoes()
{
    QCOMPARE(graph::fansOf({}).in, 1.0);
    QCOMPARE(graph::fansOf({7}).out, 7.0);
    QCOMPARE(graph::fansOf({3, 5}).in, 3.0);
    QCOMPARE(graph::fansOf({3, 5}).out, 5.0);
    QCOMPARE(graph::fansOf({3, 3, 8, 16}).in, 72.0);
    QCOMPARE(graph::fansOf({3, 3, 8, 16}).out, 144.0);
}

void TstInitializers::refusesAConstantOfAnotherSize()
{
    spec::Initializer initializer;
    initializer.mutable_constant()->add_value(1.0);
    VERIFY_OK(graph::checkInitializer(initializer, {3, 4}));
    initializer.mutable_constant()->add_value(2.0);
    VERIFY_OK(graph::checkInitializer(initializer, {1, 2}));
    VERIFY_ERROR(graph::checkInitializer(initializer, {3, 4}), "graph.bad_initializer");
}

void TstInitializers::refusesAnEmptyRange()
{
    spec::Initializer initializer;
    initializer.mutable_random_uniform()->set_minval(2.0);
    initializer.mutable_random_uniform()->set_maxval(1.0);
    VERIFY_ERROR(graph::checkInitializer(initializer, {3}), "graph.bad_initializer");
}

void TstInitializers::refusesANegativeDeviation()
{
    VERIFY_OK(graph::checkInitializer(graph::truncatedNormal(0.5), {3}));
    VERIFY_ERROR(graph::checkInitializer(graph::truncatedNormal(-0.5), {3}),
                 "graph.bad_initializer");
}

void TstInitializers::refusesAnEmptyInitializer()
{
    VERIFY_ERROR(graph::checkInitializer({}, {3}), "graph.bad_initializer");
}

CANNERY_TEST(TstInitializers)
#include "tst_initializers.moc"
